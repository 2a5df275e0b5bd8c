import LoopTransactions
import LoopTransactionsIO
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The loops, and the state that they share.
final class Server: Sendable {
  /// The counters of one loop. Any thread may read them.
  final class Counters: Sendable {
    let connections = Atomic<Int>(0)
    let replies = Atomic<Int>(0)
    let writes = Atomic<Int>(0)
    /// The number of PUBLISH requests that waited for a loop's backlog.
    let publisherPauses = Atomic<Int>(0)
    /// The number of times that the loop stopped accepting for lack of a descriptor.
    let acceptPauses = Atomic<Int>(0)
  }

  // A loop, and the parts of it that other threads use.
  private struct Member: Sendable {
    let port: LoopPort
    let loop: LoopBound<ServerLoop>
    let counters: Counters
    let backlog: Locked<Backlog>
  }

  let options: Options
  let store: Store
  private let group: LoopGroup
  private let members: Locked<[Member]> = Locked([])
  private let channels = Locked<[Bytes: [Int: Int]]>([:])

  init(_ options: Options) throws {
    unblockTerminationSignals()
    self.options = options
    group = try LoopGroup(name: "resp", count: options.loops)
    store = Store(limit: options.memory, sweptOn: group.threads[0].port)
  }

  /// Listens on each loop. Returns the port.
  func start() throws -> Int {
    var port = options.port
    for (index, thread) in group.threads.enumerated() {
      port = try onLoop(of: thread) { [self, port] loop in try addLoop(loop, index, port) }
    }
    return port
  }

  // Not `LoopThread.run`: an asynchronous main thread uses Dispatch, which has a thread
  // that wakes up every second.
  private func onLoop<Value: Sendable>(
    of thread: LoopThread,
    _ body: @escaping @Sendable (EventLoop) throws -> Value
  ) throws -> Value {
    try thread.port.postAndWait {
      guard let loop = EventLoop.current else { preconditionFailure("Server: no loop runs here") }
      return try body(loop)
    }
  }

  private func addLoop(_ loop: EventLoop, _ index: Int, _ port: Int) throws -> Int {
    let counters = Counters()
    let serverLoop = ServerLoop(self, index, counters)
    let member = Member(
      port: loop.port,
      loop: LoopBound(serverLoop, on: loop),
      counters: counters,
      backlog: Locked(Backlog(limit: options.backlog))
    )
    members.withLock { $0.append(member) }
    return try serverLoop.listen(at: port, on: loop)
  }

  /// Closes all connections and ends the loops.
  func shutDown() throws { try group.shutDown() }

  /// The reply to `INFO`. The server also prints it when it ends.
  var information: String {
    let counters = members.withLock { $0.map(\.counters) }
    // Relaxed: the counters are statistics and do not order other memory accesses.
    func sum(_ counter: (Counters) -> Int) -> Int { counters.reduce(0) { $0 + counter($1) } }
    return """
      connections:\(sum { $0.connections.load(ordering: .relaxed) })
      replies:\(sum { $0.replies.load(ordering: .relaxed) })
      writes:\(sum { $0.writes.load(ordering: .relaxed) })
      publisher_pauses:\(sum { $0.publisherPauses.load(ordering: .relaxed) })
      accept_pauses:\(sum { $0.acceptPauses.load(ordering: .relaxed) })
      used_memory:\(store.memory)
      """.split(separator: "\n").map { $0 + "\r\n" }.joined()
  }
}

// Channels.
extension Server {
  /// Changes the number of the channel's subscribers on the loop `index` by `difference`.
  func changeSubscribers(of channel: Bytes, on index: Int, by difference: Int) {
    channels.withLock { channels in
      let count = (channels[channel]?[index] ?? 0) + difference
      channels[channel, default: [:]][index] = count == 0 ? nil : count
      if channels[channel]?.isEmpty == true { channels[channel] = nil }
    }
  }

  /// Returns the number of the channel's subscribers on each loop that has any.
  func subscribers(of channel: Bytes) -> [Int: Int] { channels.withLock { $0[channel] ?? [:] } }

  /// Posts a message to the loop `index`, which delivers it to its subscribers in FIFO
  /// order.
  ///
  /// Returns true if the publishers of the loop `publisher` must wait. When they
  /// can continue, that loop's `resumePublishers(waitingFor:)` is called.
  func deliver(_ message: SharedBytes, _ channel: Bytes, on index: Int, from publisher: Int) -> Bool
  {
    let (member, count) = (members.withLock { $0[index] }, message.count + Self.postSize)
    let isFull = member.backlog.withLock { $0.add(count, from: publisher) }
    do {
      try member.port.post { [self] in
        member.loop.withValue { $0.deliver(message, channel) }
        didDeliver(count, by: member, index)
      }
    } catch {
      // The loop has closed, so its subscribers have disconnected.
      didDeliver(count, by: member, index)
    }
    return isFull
  }

  private func didDeliver(_ count: Int, by member: Member, _ index: Int) {
    for publisher in member.backlog.withLock({ $0.didDeliver(count) }) {
      let waiting = members.withLock { $0[publisher] }
      // try?: throws only if the loop has closed, and a closed loop has no publishers.
      try? waiting.port.post {
        waiting.loop.withValue { $0.resumePublishers(waitingFor: index) }
      }
    }
  }

  // The bytes that the closure, the message and the queue entry of a post use. Not
  // measured.
  private static var postSize: Int { 256 }
}

/// The process that started the server may have blocked the signals. Threads inherit the
/// mask, so call this before any thread starts.
private func unblockTerminationSignals() {
  var signals = sigset_t()
  sigemptyset(&signals)
  for number in [SIGINT, SIGTERM] { sigaddset(&signals, number) }
  pthread_sigmask(SIG_UNBLOCK, &signals, nil)
}
