import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

private final class Page: Sendable {
  static let draw = Selector<Page>("executor draw") { $0.body() }
  private let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}

@Suite("LoopPort as an executor")
struct LoopExecutorTests {
  @Test("an actor pinned to a loop runs on its thread, also after suspensions")  // C1
  func pinned() async throws {
    let (own, seen) = try await onLoopThread { loop in
      let (port, seen) = (loop.awaitedPort, Trace())
      Task.detached(executorPreference: ownThreads) {
        let pinned = Pinned(on: port)
        for _ in 0..<100 {
          seen.record("\(await pinned.thread)")
          await Task.yield()
        }
        port.stop()
      }
      #expect(loop.runInTime() == .stopped)
      return ("\(System.thread)", seen.events)
    }
    #expect(seen == Array(repeating: own, count: 100))
  }

  @Test("assumeIsolated succeeds in every callback of the loop")  // C1
  func assumes() throws {
    try withSteppedLoop { stepped in
      let (loop, trace) = (stepped.loop, stepped.trace)
      let pinned = Pinned(on: loop.awaitedPort)
      let touch: @Sendable (String) -> Void = { name in
        trace.record("\(name) \(pinned.assumeHere())")
      }
      loop.addTimer(after: .zero) { _ in touch("timer") }
      try loop.awaitedPort.post { touch("post") }
      loop.commit { touch("transaction") }
      loop.addObserver(for: .afterWaiting, repeats: false) { _ in touch("observer") }
      stepped.runUntilIdle()
      #expect(trace.events == ["timer 1", "post 2", "transaction 3", "observer 4"])
      #expect(pinned.port.isIsolatingCurrentContext() == true)
    }
  }

  @Test("assumeIsolated traps on another thread, and on the loop's thread after close()")  // C1
  func assumesNothing() async throws {
    let elsewhere = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      let loop = try EventLoop()
      let pinned = Pinned(on: loop.awaitedPort)
      TestThread.run { _ = pinned.assumeHere() }
    }
    #expect(said(elsewhere, "Incorrect actor executor assumption"))
    let closed = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      let loop = try EventLoop()
      let pinned = Pinned(on: loop.awaitedPort)
      try loop.close()
      _ = pinned.assumeHere()
    }
    #expect(said(closed, "Incorrect actor executor assumption"))
    let checked = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      let loop = try EventLoop()
      let port = loop.awaitedPort
      TestThread.run { port.checkIsolated() }
    }
    #expect(said(checked, "LoopPort.checkIsolated: the caller is not on the loop's thread"))
  }

  @Test("two actors on one loop call each other without a hop", arguments: [true, false])  // C1
  func noHops(prefersLoop: Bool) async throws {
    let posts = try await onLoopThread { loop in
      let port = loop.awaitedPort
      let (first, second) = (Pinned(on: port), Pinned(on: loop.awaitedPort))
      if prefersLoop {
        Task.detached(executorPreference: port) {
          await first.increment(1000, with: second)
          port.stop()
        }
      } else {
        first.beginHere(1000, with: second) { port.stop() }
      }
      #expect(loop.runInTime() == .stopped)
      #expect(second.assumeHere() == 1001)
      return loop.metrics.posts
    }
    // With a preference, the task posts once to begin, once to enter the first
    // actor and once to leave it.
    #expect(posts <= (prefersLoop ? 3 : 1))
  }

  @Test("a task that prefers the loop runs its actors and nonisolated code there")  // C1
  func staysOnLoop() async throws {
    @Sendable @inline(never) func unisolated(_ seen: Trace) async {
      seen.record("\(System.thread)")
    }
    let (own, seen, wakes, posts) = try await onLoopThread { loop in
      let (port, seen) = (loop.awaitedPort, Trace())
      let pinned = Pinned(on: port)
      Task.detached(executorPreference: port) {
        for _ in 0..<100 {
          await unisolated(seen)
          seen.record("\(await pinned.thread)")
        }
        port.stop()
      }
      #expect(loop.runInTime() == .stopped)
      return ("\(System.thread)", seen.events, loop.metrics.wakesSent, loop.metrics.posts)
    }
    #expect(seen == Array(repeating: own, count: 200))
    // Each of the 100 rounds posts once to enter the actor and once to leave
    // it. The last round may omit the post to leave.
    #expect(posts <= 201)
    #expect(wakes <= 1)
  }

  @Test("tasks that prefer the loop run there in FIFO order, including their children")  // C1
  func order() throws {
    try withSteppedLoop { stepped in
      let (port, trace) = (stepped.loop.awaitedPort, stepped.trace)
      for number in 0..<4 {
        Task(executorPreference: port) {
          trace.record("\(number)")
          await withTaskGroup(of: Void.self) { group in
            group.addTask { trace.record("child of \(number): \(EventLoop.current != nil)") }
          }
        }
      }
      stepped.runUntilIdle()
      let children = (0..<4).map { "child of \($0): true" }
      #expect(trace.events == (0..<4).map { "\($0)" } + children)
    }
  }

  @Test("jobs are spread over ticks by the budget, like posts")  // C1, L9
  func budget() throws {
    try withSteppedLoop { stepped in
      let (port, ran) = (stepped.loop.awaitedPort, Tally())
      stepped.loop.budget = EventLoop.Budget(count: 2)
      for _ in 0..<5 { Task(executorPreference: port) { ran.increment() } }
      var counts: [Int] = []
      for _ in 0..<3 {
        stepped.step()
        counts.append(ran.value)
      }
      #expect(counts == [2, 4, 5])
      #expect(stepped.isIdle)
    }
  }

  @Test("jobs that follow a job run in the same tick, up to 32 and within the budget")  // C1, L9
  func following() throws {
    for (limit, most) in [(Int.max, UInt64(33)), (4, 4)] {
      try withSteppedLoop { stepped in
        let (loop, ran) = (stepped.loop, Tally())
        loop.budget = EventLoop.Budget(count: limit)
        // Each iteration takes one or two jobs, depending on the optimiser.
        Task(executorPreference: loop.awaitedPort) {
          for _ in 0..<80 {
            await Task.yield()
            ran.increment()
          }
        }
        for _ in 0..<2 {
          let before = loop.metrics.posts
          stepped.step()
          #expect(loop.metrics.posts - before == most)
        }
        stepped.runUntilIdle()
        #expect(ran.value == 80)
      }
    }
  }

  @Test("a job does not overtake a pending post")  // C1
  func behindPosts() throws {
    try withSteppedLoop { stepped in
      let (port, trace) = (stepped.loop.awaitedPort, stepped.trace)
      Task(executorPreference: port) {
        try port.post { trace.record("post") }
        await Task.yield()
        trace.record("task")
      }
      stepped.step()
      #expect(trace.events == ["post", "task"])
    }
  }

  @Test("a job's post runs in the same tick, after the job")  // C1, L2
  func postsOfJobs() throws {
    try withSteppedLoop { stepped in
      let (port, trace) = (stepped.loop.awaitedPort, stepped.trace)
      Task(executorPreference: port) {
        await Task.yield()
        trace.record("task")
        try port.post { trace.record("post") }
      }
      stepped.step()
      #expect(trace.events == ["task", "post"])
    }
  }

  @Test("a burst of jobs wakes a sleeping loop once", .enabled(if: Interposed.isAvailable))  // L6
  func wakes() async throws {
    let sent = try await onLoopThread { loop in
      let (port, ran) = (loop.awaitedPort, Tally())
      Interposed.beforeBlocking({ _ in
        guard ran.value == 0 else { return }
        TestThread.run {
          for _ in 0..<100 {
            Task.detached(executorPreference: port) { if ran.increment() == 100 { port.stop() } }
          }
        }
      }) { #expect(loop.runInTime() == .stopped) }
      #expect(ran.value == 100)
      return loop.metrics.wakesSent
    }
    #expect(sent == 1)
  }

  @Test(
    "enqueuing and running a job does not allocate",
    .enabled(if: Interposed.isAvailable && Interposed.isOptimized)
  )  // C1
  func allocations() throws {
    try withSteppedLoop { stepped in
      let (port, collector, ran) = (stepped.loop.awaitedPort, JobCollector(200), Tally())
      let body: @Sendable () async -> Void = { ran.increment() }
      let begin: @Sendable (any TaskExecutor) -> Int = { executor in
        Interposed.allocations {
          for _ in 0..<100 { Task(executorPreference: executor, operation: body) }
        }
      }
      // A task's own allocations do not depend on its executor.
      #expect(begin(port) == begin(collector))
      stepped.runUntilIdle()
      let (least, elsewhere) = (Tally(), Tally())
      TestThread.run {
        least.add(begin(collector))
        elsewhere.add(begin(port))
      }
      #expect(elsewhere.value == least.value)
      let running = Interposed.allocations { stepped.runUntilIdle() }
      #expect(running == 0)
      #expect(ran.value == 200)
    }
  }

  @Test("an actor that owns its port, and its isolated deinit, end on the loop")  // C1
  func isolatedDeinit() async throws {
    actor Last {
      nonisolated let port: LoopPort
      let trace: Trace
      nonisolated var unownedExecutor: UnownedSerialExecutor { port.asUnownedSerialExecutor() }

      init(on port: LoopPort, _ trace: Trace) { (self.port, self.trace) = (port, trace) }

      func touch() {}

      isolated deinit { trace.record("\(System.thread)") }
    }
    let (own, seen) = try await onLoopThread { loop in
      let trace = Trace()
      let port = Smuggled(loop.awaitedPort)
      Task.detached(executorPreference: ownThreads) {
        for _ in 0..<100 { await Last(on: port.value, trace).touch() }
      }
      let observed = port.value
      loop.addTimer(after: .milliseconds(1), every: .milliseconds(1)) { _ in
        if trace.events.count == 100 { observed.stop() }
      }
      #expect(loop.runInTime() == .stopped)
      return ("\(System.thread)", trace.events)
    }
    #expect(seen == Array(repeating: own, count: 100))
  }

  @Test("a job for a parent's loop traps in the child process")  // C1, L12
  func forked() async {
    // In a separate process, where no other test holds a lock of the runtime.
    await #expect(processExitsWith: .success) {
      Process.endInTime()
      try withLoop { loop in
        let port = loop.awaitedPort
        let ending = Process.fork { Task(executorPreference: port) {} }
        #expect(ending.status != 0)
        #expect(ending.standardError.contains("LoopPort.enqueue: the loop belongs to the parent"))
      }
    }
  }
}
