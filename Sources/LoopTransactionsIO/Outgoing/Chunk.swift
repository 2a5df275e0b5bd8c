/// Memory with bytes to send, whose address does not change.
final class Chunk: @unchecked Sendable {
  // @unchecked: a chunk of `SharedBytes` is not changed after its
  // initialisation. Every other chunk belongs to one loop.

  private let memory: UnsafeMutableRawPointer
  private let capacity: Int
  private(set) var count = 0

  init(capacity: Int) {
    self.capacity = capacity
    memory = .allocate(byteCount: max(capacity, 1), alignment: 16)
  }

  convenience init(copying bytes: UnsafeRawBufferPointer) {
    self.init(capacity: bytes.count)
    append(bytes)
  }

  deinit { memory.deallocate() }

  /// Whether the chunk has the size of the chunks that a pool keeps.
  var isPooled: Bool { capacity == ChunkPool.chunkSize }

  var freeCapacity: Int { capacity - count }

  /// Appends at most `freeCapacity` bytes. libuv may be sending the bytes
  /// before them.
  func append(_ bytes: UnsafeRawBufferPointer) {
    assert(bytes.count <= freeCapacity, "Chunk.append: \(bytes.count) > \(freeCapacity) bytes")
    guard let base = bytes.baseAddress else { return }
    (memory + count).copyMemory(from: base, byteCount: bytes.count)
    count += bytes.count
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

  private var chunks: [Chunk] = []

  package init() {}

  package var count: Int { chunks.count }

  mutating func make() -> Chunk { chunks.popLast() ?? Chunk(capacity: Self.chunkSize) }

  /// Keeps a chunk that nothing else uses.
  mutating func recycle(_ chunk: Chunk) {
    guard chunk.isPooled, chunks.count < Self.limit else { return }
    chunk.clear()
    chunks.append(chunk)
  }
}
