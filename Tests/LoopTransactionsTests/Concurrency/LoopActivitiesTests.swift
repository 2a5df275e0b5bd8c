import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

@Suite("EventLoop.activities")
struct LoopActivitiesTests {
  @Test("a task receives activities, and only the latest one if it was busy")  // C3
  func told() async throws {
    let seen = try await onLoopThread { loop in
      let (trace, activities) = (Trace(), loop.activities([.entry, .beforeWaiting, .exit]))
      loop.run(.noWait)
      loop.run(.noWait)
      let (gate, asks) = (Gate(), Gate())
      Task.detached(executorPreference: ownThreads) {
        var iterator = activities.makeAsyncIterator()
        trace.record("\(await iterator.next() ?? [])")
        asks.open()
        trace.record("\(await iterator.next() ?? [])")
        gate.open()
      }
      asks.wait()
      // Run until the task waits for the next activity again.
      while trace.events.count < 2 { loop.run(.noWait) }
      gate.wait()
      return trace.events
    }
    #expect(seen.count == 2)
    #expect(seen.first == "exit")
  }

  @Test(
    "a task on the loop receives one activity per wake, however often its body suspends",
    arguments: [EventLoop.Activity.beforeWaiting, .afterWaiting, [.beforeWaiting, .afterWaiting]],
    0...3
  )  // C3, L7
  func noSpin(wanted: EventLoop.Activity, visits: Int) throws {
    try withSteppedLoop { stepped in
      let (port, told, away) = (stepped.loop.awaitedPort, Tally(), Away())
      let activities = stepped.loop.activities(wanted)
      Task(executorPreference: port) {
        for await _ in activities {
          told.increment()
          for _ in 0..<visits { await away.visit() }
        }
      }
      func settle() {
        var rounds = 0
        repeat {
          #expect(stepped.runUntilIdle(limit: 10) <= 3)
          rounds += 1
        } while away.executor.runAll() && rounds < 20
        #expect(rounds == min(told.value, 1) * visits + 1)
      }
      settle()
      for wake in 1...5 {
        stepped.loop.commit {}
        settle()
        #expect(told.value == wake)
      }
    }
  }

  @Test("a task on a loop that never blocks still receives activities")  // C3
  func busy() throws {
    try withSteppedLoop { stepped in
      let (port, told, away) = (stepped.loop.awaitedPort, Tally(), Away())
      let activities = stepped.loop.activities(.beforeWaiting)
      Task(executorPreference: port) {
        for await _ in activities {
          told.increment()
          await away.visit()
        }
      }
      for _ in 0..<40 {
        stepped.loop.commit {}
        stepped.step()
        _ = away.executor.runAll()
      }
      #expect(told.value >= 10)
    }
  }

  @Test("activities during a task's suspension elsewhere are not delivered later")  // C3, L7
  func away() throws {
    try withSteppedLoop { stepped in
      let (port, trace, away) = (stepped.loop.awaitedPort, stepped.trace, Away())
      let activities = stepped.loop.activities(.beforeWaiting)
      Task(executorPreference: port) {
        for await _ in activities {
          trace.record("leaves")
          await away.visit()
          trace.record("is back")
        }
      }
      stepped.runUntilIdle()
      for _ in 0..<3 {
        stepped.loop.commit { trace.record("performed") }
        stepped.runUntilIdle()
      }
      #expect(trace.take() == ["performed", "leaves", "performed", "performed"])
      #expect(away.executor.runAll())
      stepped.runUntilIdle()
      #expect(trace.events == ["is back"])
    }
  }

  @Test("the sequence ends when the loop is closed or the task is cancelled")  // C3
  func ends() async throws {
    let (trace, gate) = (Trace(), Gate())
    try await onLoopThread { loop in
      let (activities, others) = (loop.activities(.beforeWaiting), loop.activities(.beforeWaiting))
      Task.detached(executorPreference: ownThreads) {
        for await _ in activities {}
        trace.record("closed")
        gate.open()
      }
      let task = Task.detached(executorPreference: ownThreads) {
        for await _ in others {}
        trace.record("cancelled")
        gate.open()
      }
      task.cancel()
      gate.wait()
    }
    await waitOff(gate)
    #expect(trace.events == ["cancelled", "closed"])
  }

  @Test("the observer is removed with the last reference to the sequence")  // C3
  func leaves() throws {
    try withSteppedLoop { stepped in
      var activities: LoopActivities? = stepped.loop.activities(.beforeWaiting)
      #expect(activities != nil)
      let before = stepped.loop.observerCount
      activities = nil
      stepped.runUntilIdle()
      stepped.step()
      #expect(stepped.loop.observerCount == before - 1)
    }
  }
}

/// An actor whose jobs run only when the test runs them.
private actor Away {
  nonisolated let executor = HeldJobs()
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  // The method must have an effect. Otherwise the optimiser removes both hops.
  private var visits = 0

  func visit() { visits += 1 }
}

/// Stores jobs until `runAll()`.
private final class HeldJobs: SerialExecutor {
  private let jobs = Locked<[UnownedJob]>([])

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
  }

  /// Runs the stored jobs on another thread and waits for them. Returns false
  /// if no jobs were stored.
  func runAll() -> Bool {
    let held = jobs.withLock { jobs in
      defer { jobs = [] }
      return jobs
    }
    let executor = asUnownedSerialExecutor()
    TestThread.run { for job in held { job.runSynchronously(on: executor) } }
    return !held.isEmpty
  }
}
