import CLibUV

/// Bytes to be sent, which stay where they are: of one connection, or of all that a
/// message goes to.
final class Chunk: @unchecked Sendable {
  // @unchecked: appended to by the loop that made it, before anybody else knows it.
  static let capacity = 16 << 10

  private(set) var count = 0
  private let capacity: Int
  private let memory: UnsafeMutableRawPointer

  init(capacity: Int = Chunk.capacity) {
    self.capacity = capacity
    memory = .allocate(byteCount: capacity, alignment: 16)
  }

  deinit { memory.deallocate() }

  /// Whether it is as big as most.
  var isUsual: Bool { capacity == Self.capacity }

  var room: Int { capacity - count }

  func append(_ bytes: UnsafeRawBufferPointer) {
    precondition(bytes.count <= room, "Chunk: what is appended has room")
    guard let base = bytes.baseAddress else { return }
    (memory + count).copyMemory(from: base, byteCount: bytes.count)
    count += bytes.count
  }

  /// Has it begin anew. Of a chunk that nobody else knows, and that was sent.
  func clear() { count = 0 }

  /// What libuv sends of it, from `offset` on.
  func buffer(from offset: Int) -> uv_buf_t {
    let start = (memory + offset).assumingMemoryBound(to: CChar.self)
    return uv_buf_init(start, UInt32(count - offset))
  }
}
