private import CLoopbench
import LoopTransactions

extension Scenario {
  /// Getting onto an actor, and back.
  package static let hop = Scenario(
    name: "hop",
    summary: "call an actor from a task, and come back; a sample is the mean of 200 calls",
    series: [
      Series(
        name: "call",
        summary: "200, each when the one before has returned: ns per call",
        effort: Effort(warmUps: 2, samples: 20, operations: 200),
        placement: .anywhere
      )
    ],
    references: ["lt", "actor"],
    details: """
      A task calls an empty method of an actor 200 times, each time when the call before has returned.
      What is timed is the whole way there and back, divided by the number of calls.

        task     call 1 ┐          ┌ call 2 ┐          ┌ …
        actor           └ method 1 ┘        └ method 2 ┘
        call     ├─────────────────────────────────────…┤  divided by 200

      `lt` and `main` are called from Swift's threads: a call is a job that wakes the loop, and one
      that wakes the task's thread. A task that prefers the loop, `lt.preferred`, is on the actor's
      thread already. So is, in effect, the task that calls `actor`, a default actor that nobody else
      wants: Swift runs it in place. `main` is measured on the program's first thread, where a
      MainQueueBridge serves the main queue. No thread is placed: Swift's are not loopbench's to place.
      """,
    isStandard: false
  )
}

/// The calls of one sample, by a task: how many, and how long they took.
final class HopRun: @unchecked Sendable {
  // @unchecked: the task's, until it lets the thread go on that waits for it.
  private var returned = 0
  private var nanoseconds: UInt64 = 0

  /// A call has returned. To be called where the task was before the call.
  // Never inlined: the compiler leaves out the way back between two calls where
  // nothing is done there, and the way there where nothing of the actor is touched.
  @inline(never)
  func didReturn() { returned += 1 }

  /// Ends the run, which `began` then, and whose actor saw `touched` calls.
  func end(_ touched: Int, since began: UInt64) {
    nanoseconds = touched == returned ? cl_now() - began : 0
  }

  /// ns that `expected` calls took.
  ///
  /// - Throws: When the actor saw another number of them.
  func time(of expected: Int) throws(PeerFailure) -> UInt64 {
    guard returned == expected, nanoseconds > 0 else {
      throw PeerFailure("\(returned) calls returned, of \(expected), or the actor saw others")
    }
    return nanoseconds
  }
}

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

/// `hop` to the main actor, whose queue a bridge serves on a loop.
struct MainActorHop: Peer {
  let name = "main"
  let scenario = "hop"
  let series = ["call"]
  let summary = "MainActor, on a MainQueueBridge of an EventLoop, called from Swift's threads"

  let isOnFirstThread = true

  var unavailability: String? {
    System.isMainThread ? nil : "it is measured on the program's first thread only"
  }

  func measure(_ slice: inout Slice) throws(PeerFailure) {
    try EventLoop.measuring { (loop) throws(PeerFailure) in
      do {
        _ = try MainQueueBridge(on: loop)
      } catch {
        throw PeerFailure("\(error)")
      }
      let port = loop.port
      try slice.sample { (count) throws(PeerFailure) in
        let run = HopRun()
        Task.detached {
          let target = Touched()
          let began = cl_now()
          for _ in 0..<count {
            await target.touch()
            run.didReturn()
          }
          run.end(await target.touched, since: began)
          port.stop()
        }
        loop.run()
        return try run.time(of: count)
      }
    }
  }

  @MainActor
  private final class Touched {
    private(set) var touched = 0

    func touch() { touched += 1 }
  }
}

/// `hop` to a default actor.
struct ActorHop: Peer {
  let name = "actor"
  let scenario = "hop"
  let series = ["call"]
  let summary = "a default actor, called by a task: both on Swift's threads, and nobody else there"

  func measure(_ slice: inout Slice) throws(PeerFailure) {
    let gate = try Gate()
    try slice.sample { (count) throws(PeerFailure) in
      let (run, actor) = (HopRun(), Touched())
      Task.detached {
        // Another peer may have placed the thread.
        cl_thread_place(-1)
        let began = cl_now()
        for _ in 0..<count {
          await actor.touch()
          run.didReturn()
        }
        run.end(await actor.touched, since: began)
        gate.pass()
      }
      gate.wait()
      return try run.time(of: count)
    }
  }

  private actor Touched {
    private(set) var touched = 0

    func touch() { touched += 1 }
  }
}
