private import CLoopbench
import LoopTransactions

/// `hop` to an actor whose executor is a loop's port.
struct LoopHop: Peer {
  let scenario = "hop"
  let series = ["call"]
  let name: String
  let summary: String
  private let prefersLoop: Bool

  /// Called by a task that runs on Swift's own threads.
  static let fromPool = LoopHop(
    name: "lt",
    summary: "an actor pinned to an EventLoop, called by a task on Swift's threads",
    prefersLoop: false
  )

  /// Called by a task whose executor preference is the same port.
  static let preferred = LoopHop(
    name: "lt.preferred",
    summary: "the same actor, called by a task that prefers the loop: withTaskExecutorPreference",
    prefersLoop: true
  )

  func measure(_ slice: inout Slice) throws(PeerFailure) {
    guard series.contains(slice.series) else { throw slice.unknownSeries }
    try EventLoop.measuring { (loop) throws(PeerFailure) in
      let port = loop.port
      loop.waitsForPosts = true
      let preference: (any TaskExecutor)? = prefersLoop ? port : nil
      try slice.sample { (count) throws(PeerFailure) in
        let (run, actor) = (HopRun(), Pinned(on: port))
        Task.detached(executorPreference: preference) {
          let began = cl_now()
          for _ in 0..<count {
            await actor.touch()
            run.didReturn()
          }
          run.end(await actor.touched, since: began)
          port.stop()
        }
        loop.run()
        return try run.time(of: count)
      }
    }
  }

  private actor Pinned {
    private let port: LoopPort
    private(set) var touched = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor { port.asUnownedSerialExecutor() }

    init(on port: LoopPort) { self.port = port }

    func touch() { touched += 1 }
  }
}
