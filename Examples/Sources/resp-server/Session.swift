import LoopTransactionsIO
import RespProtocol
import Synchronization

/// A client. Loop thread only.
final class Session {
  let loop: ServerLoop
  /// The channels that the client is subscribed to.
  var channels: Set<Bytes> = []

  private let connection: Connection
  private var parser = RequestParser()
  // Bytes that were read but not served yet. They are waiting requests or the start
  // of a request.
  private var input: [UInt8] = []
  private var isServing = false
  // Whether the next request is a PUBLISH that waits until a loop's backlog has
  // shrunk.
  private var isPublishPaused = false
  private var isEnded = false
  private var countedWrites = 0
  private let coalesces: Bool

  /// Serves the client of `connection`, which keeps the session until it closes.
  init(_ connection: Connection, on loop: ServerLoop) {
    self.connection = connection
    self.loop = loop
    coalesces = loop.server.options.coalesces
    loop.counters.connections.add(1, ordering: .relaxed)
    connection.onRead = { [self] in didRead($0) }
    // Every complete request has been served, because the session does not read
    // while requests are waiting.
    connection.onEnd = { [self] in end() }
    connection.onDrain = { [self] in serveWaiting() }
    connection.onClose = { [self] _ in didClose() }
  }

  /// Closes the connection once its output has been sent. Ends its subscriptions.
  func end() {
    isEnded = true
    unsubscribeAll()
    sendReplies()
    connection.close()
  }

  private func didClose() {
    isEnded = true
    unsubscribeAll()
    countWrites()
    loop.counters.connections.subtract(1, ordering: .relaxed)
  }

  private func unsubscribeAll() {
    for channel in channels { loop.unsubscribe(self, from: channel) }
    channels = []
  }
}

// Requests.
extension Session {
  private func didRead(_ bytes: RawSpan) {
    bytes.withUnsafeBytes { new in
      if input.isEmpty {
        input.append(contentsOf: new[serve(new)...])
      } else {
        input.append(contentsOf: new)
        serveInput()
      }
    }
    if isThrottled { connection.pauseReading() }
    countWrites()
  }

  /// Serves the requests at the start of `bytes` until the session is throttled or
  /// ends. Returns the number of bytes served.
  private func serve(_ bytes: UnsafeRawBufferPointer) -> Int {
    isServing = true
    defer {
      sendReplies()
      isServing = false
    }
    var served = 0
    while served < bytes.count, !isEnded, !isThrottled {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[served...])
      switch parser.parse(rest) {
      case .incomplete: return served
      case .protocolError(let message):
        reply { $0.error("ERR Protocol error: \(message)") }
        end()
      case .request(let length):
        if !parser.arguments.isEmpty {
          let request = Request(bytes: rest, words: parser.arguments)
          if loop.pausesPublishers, request.name == "PUBLISH" {
            pausePublishing()
            return served
          }
          perform(request)
        }
        served += length
      }
    }
    return isEnded ? bytes.count : served
  }

  private func serveInput() {
    // `input` is empty while requests are served, because serving a request may end
    // the session.
    var bytes: [UInt8] = []
    swap(&bytes, &input)
    bytes.removeFirst(bytes.withUnsafeBytes { serve($0) })
    // Frees the memory of a large request.
    if bytes.capacity > Self.spareCapacity, bytes.count <= bytes.capacity / 4 {
      bytes = bytes.withUnsafeBytes { Array($0) }
    }
    swap(&bytes, &input)
  }

  private static var spareCapacity: Int { 16 << 10 }

  /// Whether the server temporarily neither reads from this client nor serves its
  /// requests. This is the case if the client does not read its replies, or publishes
  /// faster than its messages are delivered.
  private var isThrottled: Bool { isPublishPaused || !connection.isWritable }

  private func pausePublishing() {
    isPublishPaused = true
    loop.addPausedPublisher(self)
  }

  func resumePublishing() {
    isPublishPaused = false
    serveWaiting()
  }

  /// Serves the waiting requests and starts reading again.
  private func serveWaiting() {
    // If `serve` is on the stack, it serves the waiting requests itself.
    guard !isServing, !isEnded, !isThrottled else { return }
    if !input.isEmpty { serveInput() }
    if !isThrottled { connection.resumeReading() }
  }
}

// Replies and messages.
extension Session {
  /// Sends the reply that `write` creates, with the others of this read.
  func reply(_ write: (inout Reply) -> Void) {
    write(&loop.replies)
    loop.counters.replies.add(1, ordering: .relaxed)
    if !coalesces || loop.replies.bytes.count >= Self.batch { sendReplies() }
  }

  private func sendReplies() {
    if loop.replies.bytes.isEmpty { return }
    connection.write(loop.replies.bytes)
    loop.replies.removeAll(keepingCapacity: 2 * Self.batch)
    if !coalesces { connection.flush() }
  }

  // 16 KB. A larger batch would delay the throttling of a client. Not measured.
  private static var batch: Int { 16 << 10 }

  /// Sends a published message, which other subscribers share.
  func deliver(_ message: SharedBytes) {
    connection.write(message)
    loop.counters.replies.add(1, ordering: .relaxed)
    if !coalesces { connection.flush() }
    countWrites()
    // If the client does not read, messages from other clients can exceed the
    // connection's high-water mark.
    if connection.queuedBytes > Self.subscriberOutputLimit { connection.closeImmediately() }
  }

  /// Adds the connection's writes since the last call to the counter of the loop.
  private func countWrites() {
    let count = connection.writeCount
    loop.counters.writes.add(count - countedWrites, ordering: .relaxed)
    countedWrites = count
  }

  private static var subscriberOutputLimit: Int { 64 << 20 }
}
