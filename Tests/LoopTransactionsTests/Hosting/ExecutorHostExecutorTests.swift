import Dispatch
import LoopTransactions
import LoopTransactionsDispatch
import TestSupport
import Testing

@Suite("ExecutorHost: queues and actors")
struct ExecutorHostExecutorTests {
  @Test("a serial queue, whose threads change, runs a loop")  // C8
  func serialQueue() async throws {
    let (queue, ran, fired) = (DispatchQueue(label: "host"), Tally(), Tally())
    let host = try await ExecutorHost.make(on: HostExecutor(queue)) { loop in
      var timer: LoopTimer?
      timer = loop.addTimer(after: .milliseconds(1), every: .milliseconds(1)) { _ in
        dispatchPrecondition(condition: .onQueue(queue))
        // Ends here, because the test may wait for a thread of the pool for minutes.
        if fired.increment() == 20 { timer?.cancel() }
      }
    }
    let port = host.port
    let threads = (0..<4).map { _ in
      TestThread {
        for _ in 0..<500 {
          try? port.post {
            dispatchPrecondition(condition: .onQueue(queue))
            // Commits inside a turn, on the thread of the turn.
            EventLoop.current?.commit { ran.increment() }
          }
        }
      }
    }
    for thread in threads { thread.join() }
    #expect(inTime { fired.value >= 20 })
    // Between two turns, no thread of the queue is the loop's.
    queue.sync {
      #expect(port.isIsolatingCurrentContext() == false)
      #expect(EventLoop.current == nil)
    }
    try await host.close()
    #expect(ran.value == 2000)
  }

  private actor Session {
    var (posts, firings) = (0, 0)
    private var waiter: CheckedContinuation<Void, Never>?

    func host() async throws -> ExecutorHost {
      try await ExecutorHost.make(on: HostExecutor(self)) { loop in
        loop.addTimer(after: .milliseconds(1), every: .milliseconds(1)) { _ in
          self.assumeIsolated { $0.fired() }
        }
      }
    }

    func posted() { posts += 1 }

    func firedTwenty() async {
      if firings < 20 { await withCheckedContinuation { waiter = $0 } }
    }

    private func fired() {
      firings += 1
      if firings >= 20 { waiter.take()?.resume() }
    }
  }

  // In a process of its own: each turn is a task, which waits for a thread of the
  // concurrency pool, and other tests block these threads.
  @Test("turns on an actor are isolated to it")  // C8, C1
  func actor() async {
    await #expect(processExitsWith: .success) {
      Process.endInTime()
      let session = Session()
      let host = try await session.host()
      for _ in 0..<100 {
        try host.port.post { session.assumeIsolated { $0.posted() } }
      }
      await session.firedTwenty()
      try await host.close()
      #expect(await session.posts == 100)
    }
  }

  /// An executor that runs jobs on a thread of its own.
  private final class ThreadExecutor: SerialExecutor, Sendable {
    let queue = QueueHost()

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      _ = queue.executor().execute { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
  }

  private actor Pinned {
    let executor: ThreadExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    init(_ executor: ThreadExecutor) { self.executor = executor }
  }

  @Test("an actor with a custom executor runs a loop")  // C8, C1
  func customExecutor() async throws {
    let (executor, ran, isOver) = (ThreadExecutor(), Tally(), Tally())
    let thread = TestThread { #expect(executor.queue.run { isOver.value == 1 }) }
    let pinned = Pinned(executor)
    let host = try await ExecutorHost.make(on: HostExecutor(pinned)) { loop in
      loop.commit { ran.increment() }
    }
    for _ in 0..<100 {
      try host.port.post {
        pinned.preconditionIsolated()
        ran.increment()
      }
    }
    try await host.close()
    #expect(ran.value == 101)
    isOver.increment()
    _ = executor.queue.executor().execute {}
    thread.join()
  }

  /// The context in which a turn runs.
  private struct Context: Sendable {
    @TaskLocal static var name = "none"

    let name = Context.name
    let priority = Task.currentPriority
  }

  @Test("turns on an actor inherit neither the values nor the priority of a poster's task")  // C8
  func context() async throws {
    let (executor, contexts, isOver) = (ThreadExecutor(), Locked<[Context]>([]), Tally())
    let thread = TestThread { #expect(executor.queue.run { isOver.value == 1 }) }
    let pinned = Pinned(executor)
    let note: @Sendable () -> Void = { contexts.withLock { $0.append(Context()) } }
    // Awaiting the task itself would raise its priority.
    try await withCheckedThrowingContinuation { (isDone: CheckedContinuation<Void, any Error>) in
      Task.detached(priority: .background) {
        await Context.$name.withValue("poster") {
          do {
            let host = try await ExecutorHost.make(on: HostExecutor(pinned)) { _ in note() }
            try host.port.post(note)
            try await host.close()
            isDone.resume()
          } catch {
            isDone.resume(throwing: error)
          }
        }
      }
    }
    let seen = contexts.withLock { $0 }
    #expect(seen.map(\.name) == ["none", "none"])
    #expect(seen.map(\.priority) == [.medium, .medium])
    isOver.increment()
    _ = executor.queue.executor().execute {}
    thread.join()
  }

  /// An actor that stores its host.
  private actor Owner {
    private let executor: ThreadExecutor
    private let released: Gate
    private var host: ExecutorHost?
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ executor: ThreadExecutor, _ released: Gate) {
      (self.executor, self.released) = (executor, released)
    }

    deinit { released.open() }

    func start() async throws { host = try await ExecutorHost.make(on: HostExecutor(self)) }

    func end() async throws { try await host?.close() }
  }

  @Test("an actor that stores its host is released after close()")  // C8, L11
  func released() async throws {
    let (executor, gate, isOver) = (ThreadExecutor(), Gate(), Tally())
    let thread = TestThread { #expect(executor.queue.run { isOver.value == 1 }) }
    do {
      let owner = Owner(executor, gate)
      try await owner.start()
      try await owner.end()
    }
    #expect(gate.waitInTime())
    isOver.increment()
    _ = executor.queue.executor().execute {}
    thread.join()
  }
}
