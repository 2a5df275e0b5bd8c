import CLibUV

/// The bytes that a connection has not sent yet, oldest first.
struct Output {
  private(set) var chunks: [Chunk] = []
  private(set) var count = 0
  // The number of bytes of the first chunk that have been sent.
  private var sentOfFirst = 0
  // False if the last chunk is shared.
  private var ownsLast = false

  // The maximum capacity that the array keeps while it is empty.
  private static var spareCapacity: Int { 64 }

  var isEmpty: Bool { count == 0 }

  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    if let last = chunks.last, ownsLast, last.freeCapacity >= bytes.count {
      last.append(bytes)
    } else {
      let chunk = Chunk(capacity: max(Chunk.defaultCapacity, bytes.count))
      chunk.append(bytes)
      chunks.append(chunk)
      ownsLast = true
    }
    count += bytes.count
  }

  /// Adds a chunk that other connections send too.
  mutating func append(_ shared: Chunk) {
    chunks.append(shared)
    ownsLast = false
    count += shared.count
  }

  /// Calls `body` with all chunks as libuv buffers, for one `writev`.
  func withBuffers<Result>(_ body: (UnsafePointer<uv_buf_t>, UInt32) -> Result) -> Result {
    withUnsafeTemporaryAllocation(of: uv_buf_t.self, capacity: chunks.count) { buffers in
      for (index, chunk) in chunks.enumerated() {
        buffers[index] = chunk.buffer(from: index == 0 ? sentOfFirst : 0)
      }
      return body(UnsafePointer(buffers.baseAddress.unsafelyUnwrapped), UInt32(chunks.count))
    }
  }

  /// Removes the first `length` bytes, which have been sent.
  mutating func didSend(_ length: Int) {
    count -= length
    guard count > 0 else { return removeAll() }
    sentOfFirst += length
    var sentChunks = 0
    while sentOfFirst >= chunks[sentChunks].count {
      sentOfFirst -= chunks[sentChunks].count
      sentChunks += 1
    }
    chunks.removeFirst(sentChunks)
  }

  mutating func removeAll() {
    (count, sentOfFirst) = (0, 0)
    // Reuses the chunk if it is the only one, unless it was enlarged for a big
    // reply.
    if ownsLast, chunks.count == 1, chunks[0].hasDefaultCapacity { return chunks[0].clear() }
    chunks.removeAll(keepingCapacity: chunks.capacity <= Self.spareCapacity)
    ownsLast = false
  }
}
