import LoopTransactions
import LoopTransactionsIO
import Synchronization

/// The subscriptions and waiting publishers of one loop. Loop thread only.
final class ServerLoop {
  let server: Server
  let counters: Server.Counters
  /// The replies of the session that is serving requests.
  var replies = Reply()

  private let index: Int
  private var subscribers: [Bytes: [ObjectIdentifier: Session]] = [:]
  // The loops whose backlog exceeds the limit.
  private var backloggedLoops: Set<Int> = []
  // The publishers that wait for `backloggedLoops`, in FIFO order.
  private var pausedPublishers: [Session] = []

  init(_ server: Server, _ index: Int, _ counters: Server.Counters) {
    self.server = server
    self.index = index
    self.counters = counters
  }

  /// Listens at `port`, or at a free port if it is 0. Returns the port.
  ///
  /// Each loop has its own listener. The kernel distributes new connections among them.
  func listen(at port: Int, on loop: EventLoop) throws -> Int {
    let endpoint = Endpoint.tcp(host: server.options.address, port: port)
    // Listeners that reuse the port may belong to another program of the same user. Each
    // program would then get half of the clients.
    if index == 0 { try loop.listen(on: endpoint) { _ in }.close() }
    let delay = Duration.seconds(server.options.retry)
    let listener = try loop.listen(on: endpoint, reusesPort: true, retryDelay: delay) {
      [self] connection in
      _ = Session(connection, on: self)
    }
    listener.onPause = { [counters] _ in counters.acceptPauses.add(1, ordering: .relaxed) }
    guard case .tcp(_, let port) = listener.endpoint else { return port }
    return port
  }
}

// Channels.
extension ServerLoop {
  func subscribe(_ session: Session, to channel: Bytes) {
    subscribers[channel, default: [:]][ObjectIdentifier(session)] = session
    server.changeSubscribers(of: channel, on: index, by: 1)
  }

  func unsubscribe(_ session: Session, from channel: Bytes) {
    guard subscribers[channel]?.removeValue(forKey: ObjectIdentifier(session)) != nil else {
      return
    }
    if subscribers[channel]?.isEmpty == true { subscribers[channel] = nil }
    server.changeSubscribers(of: channel, on: index, by: -1)
  }

  /// Sends a message to the channel's subscribers on every loop. Returns the number of
  /// subscribers.
  func publish(_ channel: Bytes, _ message: UnsafeRawBufferPointer) -> Int {
    let counts = server.subscribers(of: channel)
    if counts.isEmpty { return 0 }
    var reply = Reply()
    reply.array(3)
    reply.bulk(Array("message".utf8))
    reply.bulk(channel.array)
    reply.bulk(message)
    // All subscribers share one copy of the message.
    let shared = SharedBytes(reply.bytes)
    for other in counts.keys where server.deliver(shared, channel, on: other, from: index) {
      backloggedLoops.insert(other)
    }
    return counts.values.reduce(0, +)
  }

  /// Delivers a message to the channel's subscribers on this loop.
  func deliver(_ message: SharedBytes, _ channel: Bytes) {
    guard let sessions = subscribers[channel] else { return }
    for session in sessions.values { session.deliver(message) }
  }

  /// Whether a publisher must wait before its next message.
  var pausesPublishers: Bool { !backloggedLoops.isEmpty }

  /// Makes a publisher wait. Its `resumePublishing()` is called when it can continue.
  func addPausedPublisher(_ publisher: Session) {
    counters.publisherPauses.add(1, ordering: .relaxed)
    pausedPublishers.append(publisher)
  }

  /// Resumes publishers after the backlog of `other` has shrunk.
  ///
  /// The order is round robin: a publisher that must wait again goes to the end of
  /// the list. Sessions that have ended since they began to wait are released here.
  func resumePublishers(waitingFor other: Int) {
    backloggedLoops.remove(other)
    var waiting = pausedPublishers[...]
    pausedPublishers = []
    while backloggedLoops.isEmpty, let publisher = waiting.popFirst() {
      publisher.resumePublishing()
    }
    pausedPublishers.insert(contentsOf: waiting, at: 0)
  }
}
