import CLibUV

/// What a connection is still to send, oldest first.
struct Output {
  private(set) var chunks: [Chunk] = []
  private(set) var count = 0
  // How much of the first was sent, and whether the last may be appended to.
  private var sent = 0
  private var isOpen = false

  // Chunks there is room for when there are none.
  private static var mostSpare: Int { 64 }

  var isEmpty: Bool { count == 0 }

  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    if let last = chunks.last, isOpen, last.room >= bytes.count {
      last.append(bytes)
    } else {
      let chunk = Chunk(capacity: max(Chunk.capacity, bytes.count))
      chunk.append(bytes)
      chunks.append(chunk)
      isOpen = true
    }
    count += bytes.count
  }

  /// Adds what others send, too.
  mutating func append(_ shared: Chunk) {
    chunks.append(shared)
    isOpen = false
    count += shared.count
  }

  /// As libuv takes it: by one `writev`.
  func withBuffers<Result>(_ body: (UnsafePointer<uv_buf_t>, UInt32) -> Result) -> Result {
    withUnsafeTemporaryAllocation(of: uv_buf_t.self, capacity: chunks.count) { buffers in
      for (index, chunk) in chunks.enumerated() {
        buffers[index] = chunk.buffer(from: index == 0 ? sent : 0)
      }
      return body(UnsafePointer(buffers.baseAddress.unsafelyUnwrapped), UInt32(chunks.count))
    }
  }

  /// So many bytes are sent.
  mutating func didSend(_ length: Int) {
    count -= length
    guard count > 0 else { return removeAll() }
    sent += length
    var gone = 0
    while sent >= chunks[gone].count {
      sent -= chunks[gone].count
      gone += 1
    }
    chunks.removeFirst(gone)
  }

  mutating func removeAll() {
    (count, sent) = (0, 0)
    // Kept for what comes next, but for one that was made for a big reply.
    if isOpen, chunks.count == 1, chunks[0].isUsual { return chunks[0].clear() }
    chunks.removeAll(keepingCapacity: chunks.capacity <= Self.mostSpare)
    isOpen = false
  }
}
