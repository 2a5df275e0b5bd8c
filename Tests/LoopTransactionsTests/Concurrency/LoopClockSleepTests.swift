import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

@Suite("LoopClock as a Clock")
struct LoopClockSleepTests {
  @Test("tasks sleep on a stepped clock and wake in deadline order")  // C3
  func stepped() throws {
    try withSteppedLoop { stepped in
      let (port, clock, trace) = (stepped.loop.awaitedPort, stepped.loop.clock, stepped.trace)
      for seconds in [3, 1, 2] {
        Task(executorPreference: port) {
          try await clock.sleep(for: .seconds(seconds))
          trace.record("\(seconds) s")
        }
      }
      stepped.runUntilIdle()
      let start = clock.now
      stepped.advance(by: .milliseconds(999))
      #expect(trace.events == [])
      stepped.advance(by: .seconds(3))
      #expect(trace.events == ["1 s", "2 s", "3 s"])
      #expect(start.duration(to: clock.now) == .milliseconds(3999))
      #expect(clock.now == stepped.now)
    }
  }

  @Test("Task.sleep with the loop's clock is a timer of the loop")  // C3
  func taskSleep() throws {
    try withSteppedLoop { stepped in
      let (port, trace) = (stepped.loop.awaitedPort, stepped.trace)
      Task(executorPreference: port) {
        try await Task.sleep(for: .seconds(1), clock: port.clock)
        trace.record("for")
        let deadline = port.clock.now.advanced(by: .seconds(1))
        try await Task.sleep(until: deadline, clock: port.clock)
        trace.record("until")
      }
      stepped.runUntilIdle()
      #expect(stepped.loop.timerCount == 1)
      stepped.advance(by: .seconds(1))
      #expect(trace.take() == ["for"] && stepped.loop.timerCount == 1)
      stepped.advance(by: .seconds(1))
      #expect(trace.take() == ["until"] && stepped.loop.timerCount == 0)
    }
  }

  @Test("Task.sleep without a clock takes no timer of the loop, and resumes on the loop")  // C1
  func plainSleep() async throws {
    let running = try RunningLoop()
    let task = Task(executorPreference: running.port) {
      let thread = System.thread
      try await Task.sleep(for: .milliseconds(1))
      return thread == System.thread
    }
    // Runs after the task's first job.
    #expect(try await running.port.run { $0.timerCount } == 0)
    #expect(try await task.value)
    running.stop()
  }

  @Test("a sleep is never too short, and run() waits for it")  // C3
  func waits() async throws {
    for tolerance: Duration? in [nil, .zero] {
      let slept = Locked<Duration?>(nil)
      let result = try await onLoopThread { loop in
        let (port, clock) = (loop.awaitedPort, loop.clock)
        Task.detached(executorPreference: ownThreads) {
          let start = clock.now
          try await clock.sleep(until: start.advanced(by: .milliseconds(20)), tolerance: tolerance)
          let time = start.duration(to: clock.now)
          slept.withLock { $0 = time }
        }
        loop.addTimer(after: .milliseconds(1), every: .milliseconds(1)) { firing in
          if slept.withLock({ $0 != nil }) { port.stop() }
        }
        return loop.runInTime()
      }
      #expect(result == .stopped)
      #expect((slept.withLock { $0 } ?? .zero) >= .milliseconds(20))
    }
  }

  @Test("a cancelled sleep ends immediately, and its timer keeps no run waiting")  // C3
  func cancelled() throws {
    try withSteppedLoop { stepped in
      let (port, clock, trace) = (stepped.loop.awaitedPort, stepped.loop.clock, stepped.trace)
      let task = Task(executorPreference: port) {
        do { try await clock.sleep(for: .seconds(60)) } catch { trace.record("\(type(of: error))") }
      }
      stepped.runUntilIdle()
      task.cancel()
      stepped.runUntilIdle()
      #expect(trace.events == ["CancellationError"])
      #expect(stepped.loop.timerCount == 0)
      let late = Task(executorPreference: port) {
        do { try await clock.sleep(for: .seconds(60)) } catch { trace.record("before") }
      }
      late.cancel()
      stepped.runUntilIdle()
      #expect(trace.events == ["CancellationError", "before"])
    }
  }

  @Test("a sleep on a closed loop throws, and closing the loop ends pending sleeps")  // C3, L11
  func closed() async throws {
    let (trace, gate) = (Trace(), Gate())
    let clock = try await onLoopThread { loop in
      let clock = loop.clock
      Task.detached(executorPreference: ownThreads) {
        do { try await clock.sleep(for: .seconds(60)) } catch { trace.record("\(error)") }
        gate.open()
      }
      while loop.timerCount == 0 { loop.run(.once) }
      return clock
    }
    await waitOff(gate)
    do { try await clock.sleep(for: .seconds(60)) } catch { trace.record("then \(error)") }
    #expect(trace.events == ["closed", "then closed"])
    // A sleep whose deadline has passed succeeds on a closed loop too.
    try await clock.sleep(until: clock.now)
  }
}
