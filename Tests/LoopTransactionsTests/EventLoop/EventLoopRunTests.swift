import LoopTransactions
import TestSupport
import Testing

// Longer than any test. A loop that waits this long is stuck.
private let never = Duration.seconds(3600)

@Suite("EventLoop.run")
struct EventLoopRunTests {
  @Test("a run with nothing to wait for returns .finished immediately")  // L8
  func finished() throws {
    try withLoop { loop in
      #expect(loop.run() == .finished)
      #expect(loop.run(.once) == .finished)
      #expect(loop.run(.noWait) == .finished)
    }
  }

  @Test("a run performs earlier commits even if it has nothing to wait for")  // L5
  func committedBefore() throws {
    try withLoop { loop in
      var performed = 0
      loop.commit { performed += 1 }
      #expect(loop.run() == .finished)
      #expect(performed == 1)
    }
  }

  @Test("run() returns when the last timer has fired")  // L8
  func lastTimer() throws {
    try withLoop { loop in
      var fired = 0
      for delay in 1...3 { loop.addTimer(after: .milliseconds(delay)) { _ in fired += 1 } }
      #expect(loop.run() == .finished)
      #expect(fired == 3)
    }
  }

  @Test("run(.noWait) makes one tick without blocking, and returns .ticked if handles are active")
  func noWait() throws {  // L8
    try withLoop { loop in
      loop.addTimer(after: never) { _ in }
      var blocked = 0
      Interposed.beforeBlocking({ _ in blocked += 1 }) {
        #expect(loop.run(.noWait) == .ticked)
      }
      #expect(blocked == 0)
      #expect(loop.metrics.ticks == 1)
    }
  }

  @Test("run(.once) makes one tick, and blocks in it until an event occurs")  // L8
  func once() throws {
    try withLoop { loop in
      var fired = 0
      loop.addTimer(after: .milliseconds(5), every: never) { _ in fired += 1 }
      #expect(loop.run(.once) == .ticked)
      #expect(fired == 1)
      #expect(loop.metrics.ticks == 1)
    }
  }

  @Test("run(until:) returns .timedOut, and not before its deadline")  // L13
  func untilDeadline() throws {
    try withLoop { loop in
      let port = loop.awaitedPort
      let deadline = loop.now.advanced(by: .microseconds(4321))
      #expect(loop.run(until: deadline) == .timedOut)
      #expect(loop.now >= deadline)
      // The deadline does not affect the next run.
      try port.post { port.stop() }
      #expect(loop.run() == .stopped)
    }
  }

  @Test("run(until:) performs earlier commits even if its deadline has passed")  // L13, L5
  func untilPast() throws {
    try withLoop { loop in
      let port = loop.awaitedPort
      var performed = 0
      loop.commit { performed += 1 }
      #expect(loop.run(until: LoopClock.Instant(nanoseconds: 0)) == .timedOut)
      withExtendedLifetime(port) {}
      #expect(performed == 1)
    }
  }

  @Test("run(until:) returns before its deadline when nothing is left to wait for")  // L13
  func untilFinished() throws {
    try withLoop { loop in
      var fired = 0
      loop.addTimer(after: .milliseconds(1)) { _ in fired += 1 }
      #expect(loop.run(until: loop.now.advanced(by: never)) == .finished)
      #expect(fired == 1)
    }
  }

  @Test("run(until:) does not outlast its deadline because of work that arrives in its last tick")
  func untilLastTick() throws {  // L13
    try withLoop { loop in
      let queue = RunLoopQueue<Witness>(on: loop) { _, _ in
        loop.addTimer(after: .milliseconds(1)) { _ in Issue.record("the run continued") }
      }
      let deadline = loop.now.advanced(by: .milliseconds(2))
      var isDue = false
      loop.addTimer(after: .milliseconds(3)) { _ in isDue = true }
      loop.addObserver(for: .afterWaiting) { _ in
        guard isDue else { return }
        isDue = false
        TestThread.run { queue.enqueue(Witness {}) }
      }
      // Make the deadline and the timer due in the same tick, which is the last
      // tick.
      loop.commit { while loop.now < deadline.advanced(by: .milliseconds(5)) {} }
      #expect(loop.run(until: deadline) == .timedOut)
    }
  }

  @Test("run(until:) returns .stopped when it is stopped")  // L13
  func untilStopped() throws {
    try withLoop { loop in
      loop.addTimer(after: .zero, every: never) { _ in loop.stop() }
      #expect(loop.run(until: loop.now.advanced(by: never)) == .stopped)
    }
  }

  @Test("a run that is stopped performs a chain of commits to its end")  // L8
  func chain() throws {
    try withLoop { loop in
      var performed = 0
      func again() {
        performed += 1
        if performed < 10 { loop.commit { again() } }
      }
      again()
      loop.stop()
      #expect(loop.run() == .stopped)
      #expect(performed == 10)
    }
  }

  @Test("run(until:) returns .stopped when it is stopped in the tick of its deadline")  // L13
  func untilStoppedAtDeadline() throws {
    try withLoop { loop in
      loop.commit { loop.stop() }
      #expect(loop.run(until: LoopClock.Instant(nanoseconds: 0)) == .stopped)
    }
  }

  @Test("the deadline of a run that was stopped earlier does not end the next run")  // L8
  func untilStoppedEarly() throws {
    try withLoop { loop in
      loop.commit { loop.stop() }
      #expect(loop.run(until: loop.now.advanced(by: .milliseconds(2))) == .stopped)
      loop.addTimer(after: .milliseconds(5)) { _ in loop.stop() }
      #expect(loop.run() == .stopped)
    }
  }

  @Test("a whole run with nothing left to wait for performs everything, even beyond the budget")
  func finishedForGood() throws {  // L5, L8
    try withLoop { loop in
      loop.budget = EventLoop.Budget(count: 1)
      var performed = 0
      loop.addObserver(for: .exit, repeats: false) { _ in
        for _ in 0..<3 { loop.commit { performed += 1 } }
      }
      #expect(loop.run() == .finished)
      #expect(performed == 3)
    }
  }

  @Test("a transaction that keeps committing itself does not prevent a stopped run from returning")
  func endless() throws {  // L8
    try withLoop { loop in
      var performed = 0
      func again() {
        performed += 1
        loop.commit { again() }
      }
      again()
      loop.addTimer(after: .zero) { _ in loop.stop() }
      #expect(loop.run() == .stopped)
      // The remaining commit is performed by the next run.
      let before = performed
      #expect(loop.run(.once) == .ticked)
      #expect(performed > before)
    }
  }
}
