private import CLoopbench
import LoopTransactions

extension Scenario {
  /// Calling an actor and returning.
  package static let hop = Scenario(
    name: "hop",
    summary: "call an actor from a task and return; a sample is the mean of 200 calls",
    series: [
      Series(
        name: "call",
        summary: "200 calls, each after the previous one has returned: ns per call",
        workload: Workload(warmUps: 2, samples: 20, operations: 200),
        placement: .anywhere
      )
    ],
    references: ["lt", "actor"],
    details: """
      A task calls an empty method of an actor 200 times. Each call begins when the previous one has
      returned. The total time of the round trips is divided by the number of calls.

        task     call 1 ┐          ┌ call 2 ┐          ┌ …
        actor           └ method 1 ┘        └ method 2 ┘
        call     ├─────────────────────────────────────…┤  divided by 200

      `lt` and `main` are called from Swift's threads: each call is one job that wakes the loop and one
      that wakes the task's thread. In `lt.preferred` the task prefers the loop, so it already runs on
      the actor's thread. `actor` is an uncontended default actor, which Swift runs in place, on the
      calling task's thread. `main` is measured on the program's first thread, where a MainQueueBridge
      serves the main queue. No thread is placed, because loopbench does not control Swift's threads.
      """,
    isStandard: false
  )
}

/// The calls that a task makes for one sample.
final class HopRun: @unchecked Sendable {
  // @unchecked: the task uses the object until it resumes the measuring thread,
  // which then reads the results.
  private var returned = 0
  private var nanoseconds: UInt64 = 0

  /// Counts a call that has returned. The task must be back where it ran before the
  /// call.
  // Never inlined: if the task did no work between two calls, the compiler would
  // omit the hop back. For the same reason the called method touches the actor's
  // state: without that, the compiler would omit the hop to the actor.
  @inline(never)
  func didReturn() { returned += 1 }

  /// Ends a run that began at `began`. The actor has counted `touched` calls in it.
  func end(_ touched: Int, since began: UInt64) {
    nanoseconds = touched == returned ? cl_now() - began : 0
  }

  /// Returns the time in ns that `expected` calls took.
  ///
  /// - Throws: `PeerError` if the task or the actor counted a different number of
  ///   calls.
  func time(of expected: Int) throws(PeerError) -> UInt64 {
    guard returned == expected, nanoseconds > 0 else {
      throw PeerError(
        "\(returned) of \(expected) calls returned, or the actor counted a different number"
      )
    }
    return nanoseconds
  }
}

/// `hop` to an actor whose executor is a `LoopPort`.
struct LoopHop: FullPeer {
  let scenario = "hop"
  let name: String
  let summary: String
  private let prefersLoop: Bool

  /// The calling task runs on Swift's own threads.
  static let fromPool = LoopHop(
    name: "lt",
    summary: "an actor pinned to an EventLoop, called by a task on Swift's threads",
    prefersLoop: false
  )

  /// The calling task prefers the same port as its executor.
  static let preferred = LoopHop(
    name: "lt.preferred",
    summary: "the same actor, called by a task that prefers the loop: withTaskExecutorPreference",
    prefersLoop: true
  )

  func measure(_ slice: inout Slice) throws(PeerError) {
    try EventLoop.measuring { (loop) throws(PeerError) in
      let port = loop.port
      loop.waitsForPosts = true
      let preference: (any TaskExecutor)? = prefersLoop ? port : nil
      try slice.sample { (count) throws(PeerError) in
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

/// `hop` to the main actor, whose queue a `MainQueueBridge` serves on a loop.
struct MainActorHop: FullPeer {
  let name = "main"
  let scenario = "hop"
  let summary = "MainActor, on a MainQueueBridge of an EventLoop, called from Swift's threads"

  let isOnFirstThread = true

  var unavailability: String? {
    System.isMainThread ? nil : "it can be measured only on the program's first thread"
  }

  func measure(_ slice: inout Slice) throws(PeerError) {
    try EventLoop.measuring { (loop) throws(PeerError) in
      do {
        _ = try MainQueueBridge(on: loop)
      } catch {
        throw PeerError("\(error)")
      }
      let port = loop.port
      try slice.sample { (count) throws(PeerError) in
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
struct ActorHop: FullPeer {
  let name = "actor"
  let scenario = "hop"
  let summary = "a default actor, called by a task: both on Swift's threads, without contention"

  func measure(_ slice: inout Slice) throws(PeerError) {
    let gate = Gate()
    try slice.sample { (count) throws(PeerError) in
      let (run, actor) = (HopRun(), Touched())
      Task.detached {
        // Another peer may have placed this thread.
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
