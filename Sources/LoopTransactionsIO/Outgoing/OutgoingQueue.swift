/// The bytes that a connection has not sent, oldest first.
///
/// Bytes keep their address until they have been sent.
package struct OutgoingQueue {
  private var chunks: [Chunk] = []
  // Chunks before this one have been sent and recycled.
  private var first = 0
  // The number of bytes of the first chunk that have been sent.
  private var sentOfFirst = 0

  /// The number of bytes.
  package private(set) var count = 0

  package init() {}

  package var isEmpty: Bool { count == 0 }

  /// Copies `bytes` to the end.
  package mutating func append(_ bytes: UnsafeRawBufferPointer, _ pool: inout ChunkPool) {
    count += bytes.count
    var rest = chunks.last?.append(bytes) ?? bytes
    if rest.count > Self.largest { return chunks.append(Chunk(copying: rest)) }
    while !rest.isEmpty {
      let chunk = pool.make()
      rest = chunk.append(rest)
      chunks.append(chunk)
    }
  }

  /// Adds bytes that other connections send too.
  package mutating func append(shared bytes: SharedBytes, _ pool: inout ChunkPool) {
    guard bytes.count > Self.smallest else { return append(bytes.chunk.bytes(from: 0), &pool) }
    chunks.append(bytes.chunk)
    count += bytes.count
  }

  // A larger write gets memory of its own size instead of pooled chunks. Not
  // measured.
  private static var largest: Int { 64 << 10 }
  // Copying fewer bytes costs less than another buffer of a write. Not
  // measured.
  private static var smallest: Int { 512 }
  // The most buffers of one write. Linux accepts 1,024.
  private static var maxBuffers: Int { 1024 }
  // The capacity that an empty queue keeps.
  private static var spareCapacity: Int { 64 }

  /// Calls `body` with buffers of the first bytes and their number, for one
  /// write. Stops at `limit` bytes, also inside a chunk.
  // 1 GB: libuv returns the number of bytes that a call has sent as an `Int32`,
  // and macOS refuses larger calls. Linux sends at most 2 GB at once.
  // Mutating, although it changes nothing, so that no references are counted.
  package mutating func withBuffers<Result>(
    limit: Int = 1 << 30,
    _ body: (UnsafeBufferPointer<StreamBuffer>, _ length: Int) -> Result
  ) -> Result {
    if bufferCount == 1 {
      let bytes = chunks[first].bytes(from: sentOfFirst, limit: limit)
      return withUnsafePointer(to: StreamBuffer(bytes)) {
        body(UnsafeBufferPointer(start: $0, count: 1), bytes.count)
      }
    }
    return withUnsafeTemporaryAllocation(of: StreamBuffer.self, capacity: bufferCount) { buffers in
      var (used, length, offset) = (0, 0, sentOfFirst)
      while used < buffers.count, length < limit {
        let bytes = chunks[first + used].bytes(from: offset, limit: limit - length)
        buffers.initializeElement(at: used, to: StreamBuffer(bytes))
        (used, length, offset) = (used + 1, length + bytes.count, 0)
      }
      return body(UnsafeBufferPointer(rebasing: buffers[..<used]), length)
    }
  }

  private var bufferCount: Int { min(chunks.count - first, Self.maxBuffers) }

  /// Removes the first `length` bytes, which have been sent.
  package mutating func didSend(_ length: Int, _ pool: inout ChunkPool) {
    assert(length <= count, "OutgoingQueue.didSend: \(length) > \(count) bytes")
    count -= length
    guard count > 0 else { return removeAll(&pool) }
    sentOfFirst += length
    while sentOfFirst >= chunks[first].count {
      sentOfFirst -= chunks[first].count
      pool.recycle(chunks[first])
      first += 1
    }
    guard first * 2 > chunks.count else { return }
    chunks.removeFirst(first)
    first = 0
  }

  /// Removes all bytes.
  package mutating func removeAll(_ pool: inout ChunkPool) {
    // Not removeAll(keepingCapacity:), which replaces a subrange, with generic code.
    while let chunk = chunks.popLast() {
      if chunks.count >= first { pool.recycle(chunk) }
    }
    if chunks.capacity > Self.spareCapacity { chunks = [] }
    (first, sentOfFirst, count) = (0, 0, 0)
  }
}
