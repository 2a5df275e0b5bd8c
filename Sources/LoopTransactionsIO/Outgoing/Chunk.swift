/// Memory with bytes to send, whose address does not change.
final class Chunk: @unchecked Sendable {
  // @unchecked: a chunk of `SharedBytes` is not changed after its
  // initialisation. Every other chunk belongs to one loop.

  private let memory: UnsafeMutableRawPointer
  private let capacity: Int
  @exclusivity(unchecked) private(set) var count = 0
  @exclusivity(unchecked) fileprivate var nextInPool: Chunk?

  init(capacity: Int) {
    self.capacity = capacity
    memory = .allocate(byteCount: max(capacity, 1), alignment: 16)
  }

  convenience init(copying bytes: UnsafeRawBufferPointer) {
    self.init(capacity: bytes.count)
    _ = append(bytes)
  }

  deinit { memory.deallocate() }

  /// Whether the chunk has the size of the chunks that a pool keeps.
  var isPooled: Bool { capacity == ChunkPool.chunkSize }

  /// Appends the bytes that fit, and returns the rest. libuv may be sending the
  /// bytes before them.
  func append(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    let length = min(capacity - count, bytes.count)
    guard let base = bytes.baseAddress else { return bytes }
    (memory + count).copyMemory(from: base, byteCount: length)
    count += length
    return UnsafeRawBufferPointer(start: base + length, count: bytes.count - length)
  }

  func clear() { count = 0 }

  /// The bytes from `offset` on.
  func bytes(from offset: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: memory + offset, count: count - offset)
  }
}

/// The empty chunks of a loop. Idle connections hold none.
package struct ChunkPool {
  // 8 KB: a read of 64 KB that is echoed takes 8 of the 64 buffers that fit on
  // the stack. Not measured.
  package static var chunkSize: Int { 8 << 10 }
  // 4 MB. Enough for 512 connections to have output at once without
  // allocation. Not measured.
  private static var limit: Int { 512 }

  // Linked by `nextInPool`.
  private var first: Chunk?
  package private(set) var count = 0

  package init() {}

  mutating func make() -> Chunk {
    guard let chunk = first.take() else { return Chunk(capacity: Self.chunkSize) }
    first = chunk.nextInPool.take()
    count -= 1
    return chunk
  }

  /// Keeps a chunk that nothing else uses.
  mutating func recycle(_ chunk: consuming Chunk) {
    guard chunk.isPooled, count < Self.limit else { return }
    chunk.clear()
    chunk.nextInPool = first.take()
    first = chunk
    count += 1
  }
}
