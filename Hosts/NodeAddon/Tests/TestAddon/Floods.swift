// C9. Work that never pauses, and work that an environment leaves behind.
import LoopTransactions
import LoopTransactionsNode
import Synchronization

/// A transaction that commits itself until it is stopped.
final class Recommitted {
  static let again = Selector<Recommitted>("again") { $0.performed() }

  private let loop: EventLoop
  var isStopped = false
  private(set) var performances = 0

  init(on loop: EventLoop) { self.loop = loop }

  private func performed() {
    performances += 1
    if !isStopped { loop.commit(self, Self.again) }
  }
}

/// Threads that post without a pause.
final class Flood: Sendable {
  private let isStopped = Atomic(false)
  private let posts = Atomic(0)
  private let threads = OperationScheduler("flood", workerLimit: 2)

  func begin(_ port: LoopPort) {
    for _ in 0..<2 {
      threads.add { [self] _ in
        while !isStopped.load(ordering: .relaxed) {
          // `try?`: the environment has ended.
          if (try? port.post { self.posts.add(1, ordering: .relaxed) }) == nil { return }
        }
      }
    }
  }

  func end() -> Int {
    isStopped.store(true, ordering: .relaxed)
    return posts.load(ordering: .relaxed)
  }
}

func exportFloods(on host: NodeHost) throws {
  let loop = host.loop
  var flood: (posts: Flood, commits: Recommitted)?
  host.whenEnvironmentEnds {
    _ = flood?.posts.end()
    flood?.commits.isStopped = true
  }
  try host.export("beginFlood") { _ in
    let new = (posts: Flood(), commits: Recommitted(on: loop))
    flood = new
    new.posts.begin(host.port)
    loop.commit(new.commits, Recommitted.again)
    return .undefined
  }
  try host.export("endFlood") { _ in
    guard let last = flood.take() else { return .null }
    last.commits.isStopped = true
    return [
      "posts": .number(Double(last.posts.end())),
      "performances": .number(Double(last.commits.performances)),
    ]
  }
}

/// Counts instances and events in all environments.
final class Probe: Sendable {
  static let made = Atomic(0)
  static let released = Atomic(0)
  static let performed = Atomic(0)
  static let completed = Atomic(0)
  static let cancelled = Atomic(0)

  init() { Self.made.add(1, ordering: .relaxed) }
  deinit { Self.released.add(1, ordering: .relaxed) }
}

final class LastCommit {
  static let perform = Selector<LastCommit>("perform") { _ in
    Probe.performed.add(1, ordering: .relaxed)
  }
  private let probe = Probe()
}

/// Work of each kind that is pending when an environment ends.
func exportLeftovers(on host: NodeHost) throws {
  let loop = host.loop
  try host.export("leave") { _ in
    loop.commit(LastCommit(), LastCommit.perform)
    let probe = Probe()
    try host.port.post {
      withExtendedLifetime(probe) { _ = Probe.performed.add(1, ordering: .relaxed) }
    }
    _ = loop.addTimer(after: .seconds(3600)) { _ in withExtendedLifetime(probe) {} }
    let promise = try host.makePromise()
    let transaction = AsyncTransaction(on: loop)
    for _ in 0..<100 {
      let probe = Probe()
      transaction.add { operation in
        // Ends early when the environment does.
        while !operation.isCancelled { withExtendedLifetime(probe) {} }
      } completion: { _ in
        withExtendedLifetime((probe, promise)) { _ = Probe.completed.add(1, ordering: .relaxed) }
      }
    }
    transaction.commit()
    host.whenEnvironmentEnds { transaction.cancel() }
    return .promise(promise)
  }
  // Settles after the environment has ended, on another thread.
  let ending = EndOfEnvironment()
  host.whenEnvironmentEnds { ending.finish() }
  try host.exportAsync("settleTooLate") { _ in
    let probe = Probe()
    await ending.wait()
    if Task.isCancelled { Probe.cancelled.add(1, ordering: .relaxed) }
    return withExtendedLifetime(probe) { .null }
  }
  try host.export("probes") { _ in
    [
      "made": .number(Double(Probe.made.load(ordering: .relaxed))),
      "released": .number(Double(Probe.released.load(ordering: .relaxed))),
      "performed": .number(Double(Probe.performed.load(ordering: .relaxed))),
      "completed": .number(Double(Probe.completed.load(ordering: .relaxed))),
      "cancelled": .number(Double(Probe.cancelled.load(ordering: .relaxed))),
    ]
  }
}

/// Resumes the tasks that wait for the end of an environment.
final class EndOfEnvironment: Sendable {
  private let stream: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation

  init() { (stream, continuation) = AsyncStream.makeStream() }

  func wait() async { for await _ in stream {} }

  func finish() { continuation.finish() }
}
