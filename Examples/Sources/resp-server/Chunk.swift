import CLibUV

/// A buffer of bytes to send, whose address does not change.
///
/// A chunk belongs to one connection, or is shared by all subscribers of a message.
final class Chunk: @unchecked Sendable {
  // @unchecked: only the loop that created the chunk appends to it, and only before
  // the chunk is shared.
  static let defaultCapacity = 16 << 10

  private(set) var count = 0
  private let capacity: Int
  private let memory: UnsafeMutableRawPointer

  init(capacity: Int = Chunk.defaultCapacity) {
    self.capacity = capacity
    memory = .allocate(byteCount: capacity, alignment: 16)
  }

  deinit { memory.deallocate() }

  var hasDefaultCapacity: Bool { capacity == Self.defaultCapacity }

  var freeCapacity: Int { capacity - count }

  func append(_ bytes: UnsafeRawBufferPointer) {
    precondition(
      bytes.count <= freeCapacity,
      "Chunk.append(_:) must not exceed freeCapacity (\(freeCapacity)), got \(bytes.count) bytes"
    )
    guard let base = bytes.baseAddress else { return }
    (memory + count).copyMemory(from: base, byteCount: bytes.count)
    count += bytes.count
  }

  /// Removes all bytes. Call only after the chunk has been sent, and only if the
  /// chunk is not shared.
  func clear() { count = 0 }

  /// Returns the bytes from `offset` to the end as a libuv buffer.
  func buffer(from offset: Int) -> uv_buf_t {
    let start = (memory + offset).assumingMemoryBound(to: CChar.self)
    return uv_buf_init(start, UInt32(count - offset))
  }
}
