/// Memory with bytes to send, whose address does not change.
final class Chunk: @unchecked Sendable {
  // @unchecked: a pooled chunk belongs to one loop. Other chunks do not change.

  private let memory: UnsafeMutableRawPointer
  /// Whether a pool made the chunk. It then takes more bytes, and is reused.
  let isPooled: Bool
  @exclusivity(unchecked) fileprivate(set) var count = 0
  @exclusivity(unchecked) fileprivate var nextInPool: Chunk?

  /// Makes an empty chunk of a pool.
  fileprivate init() {
    isPooled = true
    memory = .allocate(byteCount: ChunkPool.chunkSize, alignment: 16)
  }

  /// Makes a chunk that does not change.
  init(copying bytes: UnsafeRawBufferPointer) {
    isPooled = false
    memory = .allocate(byteCount: max(bytes.count, 1), alignment: 16)
    if let base = bytes.baseAddress { memory.copyMemory(from: base, byteCount: bytes.count) }
    count = bytes.count
  }

  deinit { memory.deallocate() }

  /// Appends the bytes that fit, and returns the rest. libuv may be sending the
  /// bytes before them.
  func append(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    guard isPooled, let base = bytes.baseAddress else { return bytes }
    let length = min(ChunkPool.chunkSize - count, bytes.count)
    (memory + count).copyMemory(from: base, byteCount: length)
    count += length
    return UnsafeRawBufferPointer(start: base + length, count: bytes.count - length)
  }

  /// The bytes from `offset` on, at most `limit` of them.
  func bytes(from offset: Int, limit: Int = .max) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: memory + offset, count: min(count - offset, limit))
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
    guard let chunk = first.take() else { return Chunk() }
    first = chunk.nextInPool.take()
    count -= 1
    return chunk
  }

  /// Keeps `chunk` if a pool made it. Nothing else uses it.
  mutating func recycle(_ chunk: consuming Chunk) {
    guard chunk.isPooled, count < Self.limit else { return }
    chunk.count = 0
    chunk.nextInPool = first.take()
    first = chunk
    count += 1
  }
}
