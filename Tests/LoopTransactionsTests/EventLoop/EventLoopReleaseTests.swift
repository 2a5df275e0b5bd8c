import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

/// A loop that is released while open.
private final class ReleasedLoop {
  private(set) var loop: EventLoop?
  let port: LoopPort

  init() throws {
    Interposed.forgiveLeaks()
    Process.endInTime()
    let loop = try EventLoop()
    self.loop = loop
    port = loop.port
  }

  /// Waits until work has been posted.
  func waitForPost() { #expect(inTime { loop?.hasWorkOrPosts == true }) }

  func release() { loop = nil }
}

/// A target for commits from another thread.
private final class Shown: Sendable {
  static let show = Selector<Shown>("release show") { _ in Issue.record("performed") }

  private let witness: Witness

  init(_ witness: Witness) { self.witness = witness }
}

/// Timers of one thread.
private final class Timers: @unchecked Sendable {
  // @unchecked: used on the thread of their loop only.
  var all: [LoopTimer] = []
}

@Suite("EventLoop: released while open")
struct EventLoopReleaseTests {
  @Test("accepted posts and commits are released on the releasing thread without being called")
  func posts() async {  // L2, L11
    await #expect(processExitsWith: .success) {
      let released = try ReleasedLoop()
      let (port, trace, thread) = (released.port, Trace(), System.thread)
      @Sendable func witness(_ name: String) -> Witness {
        Witness { trace.record(System.thread == thread ? name : "\(name) elsewhere") }
      }
      TestThread.run {
        try? port.post { [witness = witness("other thread's post")] in
          witness.touch()
          Issue.record("called")
        }
        try? port.commit(Shown(witness("other thread's target")), Shown.show)
      }
      try port.post { [witness = witness("own post")] in
        witness.touch()
        Issue.record("called")
      }
      try port.post({ _ in Issue.record("called") }, context: nil)
      released.release()
      #expect(trace.events == ["other thread's post", "other thread's target", "own post"])
      #expect(throws: LoopPort.PostError.closed) { try port.post {} }
    }
  }

  @Test("a kept transaction with an accepted commit refuses the next commit")  // L2, L11
  func keptTransaction() async {
    await #expect(processExitsWith: .success) {
      let released = try ReleasedLoop()
      let (port, trace) = (released.port, Trace())
      let target = Shown(Witness { trace.record("released") })
      let transaction = PortTransaction(target, Shown.show, on: port)
      let commits = Tally()
      TestThread.run { if (try? transaction.commit()) != nil { commits.increment() } }
      released.release()
      for _ in 0..<2 {
        TestThread.run { if (try? transaction.commit()) != nil { commits.increment() } }
      }
      #expect(commits.value == 1)
      withExtendedLifetime(target) {}
    }
  }

  @Test("posts that were carried over are also released")  // L11
  func carriedOver() async {
    await #expect(processExitsWith: .success) {
      let released = try ReleasedLoop()
      let (port, trace) = (released.port, Trace())
      released.loop?.budget = EventLoop.Budget(count: 1)
      TestThread.run {
        for number in 1...3 {
          try? port.post { [witness = Witness { trace.record("released \(number)") }] in
            witness.touch()
            trace.record("ran \(number)")
          }
        }
      }
      released.loop?.run(.noWait)
      #expect(trace.events == ["ran 1", "released 1"])
      released.release()
      #expect(trace.events == ["ran 1", "released 1", "released 2", "released 3"])
    }
  }

  // L11
  @Test("releasing the captures of one timer may cancel another", arguments: [true, false])
  func timers(isPrecise: Bool) async {
    await #expect(processExitsWith: .success) { [isPrecise] in
      let released = try ReleasedLoop()
      let trace = Trace()
      let timers = Timers()
      for number in 1...2 {
        let witness = Witness {
          trace.record("\(number)")
          for timer in timers.all { timer.cancel() }
        }
        let loop = try #require(released.loop)
        let (delay, body) = (Duration.seconds(3600), { (_: LoopTimer.Firing) in witness.touch() })
        timers.all.append(
          isPrecise
            ? try loop.addPreciseTimer(at: loop.now.advanced(by: delay), body)
            : loop.addTimer(after: delay, body)
        )
      }
      released.release()
      #expect(trace.events.sorted() == ["1", "2"])
      #expect(timers.all.allSatisfy { !$0.isActive })
    }
  }

  @Test("cancelling a timer may release the loop, which its callback retained")  // L11
  func lastReference() async {
    await #expect(processExitsWith: .success) {
      let released = try ReleasedLoop()
      var loop = released.loop
      let deadline = LoopClock.Instant(nanoseconds: 0).advanced(by: .seconds(3600))
      let timer = try loop?.addPreciseTimer(at: deadline) { [loop] _ in
        withExtendedLifetime(loop) {}
      }
      released.release()
      loop = nil
      #expect(throws: Never.self) { try released.port.post {} }
      timer?.cancel()
      #expect(throws: LoopPort.PostError.closed) { try released.port.post {} }
      #expect(timer?.isActive == false)
    }
  }

  @Test("a caller of postAndWait gets an error")  // L11
  func postAndWait() async {
    await #expect(processExitsWith: .success) {
      let released = try ReleasedLoop()
      let port = released.port
      let thread = TestThread {
        #expect(throws: LoopPort.PostError.closed) { try port.postAndWait { 1 } }
      }
      // Wait until the call has been posted.
      #expect(inTime { WaitTable.shared.callCount(port) == 1 })
      released.release()
      thread.join()
    }
  }

  @Test("a task that sleeps on the loop gets an error", arguments: [false, true])  // L11
  func sleeper(hasBegun: Bool) async {
    await #expect(processExitsWith: .success) { [hasBegun] in
      let released = try ReleasedLoop()
      let (port, ended) = (released.port, Gate())
      Task.detached {
        await #expect(throws: LoopPort.PostError.closed) {
          try await port.clock.sleep(for: .seconds(3600))
        }
        ended.open()
      }
      released.waitForPost()
      if hasBegun { released.loop?.run(.noWait) }
      released.release()
      #expect(ended.waitInTime())
    }
  }

  @Test("a task whose job was accepted finishes on a worker")  // L11, C1
  func job() async {
    await #expect(processExitsWith: .success) {
      let released = try ReleasedLoop()
      let (pinned, ended) = (Pinned(on: released.port), Gate())
      Task.detached {
        #expect(await pinned.increment() == 1)
        ended.open()
      }
      released.waitForPost()
      released.release()
      #expect(ended.waitInTime())
    }
  }

  @Test("a sequence of the loop's activities ends")  // L11, C3
  func activities() async throws {
    await #expect(processExitsWith: .success) {
      let released = try ReleasedLoop()
      let (activities, ended) = (released.loop?.activities(.exit), Gate())
      Task.detached {
        if let activities { for await _ in activities { Issue.record("received an activity") } }
        ended.open()
      }
      released.release()
      #expect(ended.waitInTime())
    }
  }
}
