import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

private struct Failure: Error {}

@Suite("LoopPort: run")
struct LoopPortRunTests {
  @Test("run returns the closure's value from the loop, and rethrows its error")  // C1
  func values() async throws {
    let running = try RunningLoop()
    let port = running.port
    let isThere = try await port.run { loop in
      EventLoop.current === loop && loop.port === port
    }
    #expect(isThere)
    await #expect(throws: Failure.self) { try await port.run { _ in throw Failure() } }
    running.stop()
  }

  @Test("a task on the loop can call run, and continues on its actor")  // C1
  func onLoop() async throws {
    let running = try RunningLoop()
    let caller = Caller(on: running.port)
    for _ in 0..<100 { #expect(try await caller.runs()) }
    running.stop()
  }

  @Test("calls of one task and its posts run in order")  // C1, L2
  func order() async throws {
    let running = try RunningLoop()
    let (port, trace) = (running.port, Trace())
    for number in 0..<3 {
      try port.post { trace.record("post \(number)") }
      try await port.run { _ in trace.record("run \(number)") }
    }
    #expect(trace.events == (0..<3).flatMap { ["post \($0)", "run \($0)"] })
    running.stop()
  }

  @Test("a task that is already cancelled runs nothing")  // C1
  func cancelledBefore() async throws {
    let running = try RunningLoop()
    let (port, ran) = (running.port, Tally())
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await port.run { _ in _ = ran.increment() }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    try await port.run { _ in }
    #expect(ran.value == 0)
    running.stop()
  }

  @Test("cancelling a task whose closure has not begun resumes it while the loop is busy")  // C1
  func cancelsWaiting() async throws {
    let running = try RunningLoop()
    let (port, begun, gate, ran) = (running.port, Gate(), Gate(), Tally())
    try port.post {
      begun.open()
      gate.wait()
    }
    await waitOff(begun)
    let (released, other) = (Tally(), try RunningLoop())
    let task = Task(executorPreference: other.port) {
      let witness = Witness { released.increment() }
      try await port.run { _ in
        witness.touch()
        ran.increment()
      }
    }
    // Runs after the task's first job, which has made the call.
    try await other.port.run { _ in }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(released.value == 1)
    gate.open()
    try await port.run { _ in }
    #expect(ran.value == 0)
    running.stop()
    other.stop()
  }

  @Test("a closure that has begun is not interrupted by cancellation, and returns its value")  // C1
  func cancelsRunning() async throws {
    let running = try RunningLoop()
    let (port, begun, gate) = (running.port, Gate(), Gate())
    let task = Task(executorPreference: ownThreads) {
      try await port.run { _ in
        let wasCancelled = Task.isCancelled
        begun.open()
        gate.wait()
        return [wasCancelled, Task.isCancelled]
      }
    }
    await waitOff(begun)
    task.cancel()
    gate.open()
    #expect(try await task.value == [false, true])
    running.stop()
  }

  @Test("the closure's captures are released on the loop before the task resumes")  // O12
  func releases() async throws {
    let running = try RunningLoop()
    let port = running.port
    let home = try await port.run { _ in System.thread }
    for _ in 0..<100 {
      let trace = Trace()
      try await port.run(Self.holding(trace, home))
      trace.record("resumed")
      #expect(trace.events == ["called", "released true", "resumed"])
    }
    running.stop()
  }

  private static func holding(
    _ trace: Trace,
    _ home: UInt
  ) -> @Sendable (EventLoop) -> Void {
    let witness = Witness { trace.record("released \(System.thread == home)") }
    return { _ in
      witness.touch()
      trace.record("called")
    }
  }

  @Test("the closure has the task-local values, the priority and the name of the caller")  // C1
  @available(macOS 26.0, *)
  func locals() async throws {
    let running = try RunningLoop()
    let (port, caller) = (running.port, Caller(on: running.port))
    let task = Task(name: "caller", priority: .low) {
      try await Self.$local.withValue(7) {
        try await port.run { _ in
          caller.assumeIsolated { _ in "\(Self.local) \(Task.currentPriority) \(Task.name ?? "")" }
        }
      }
    }
    #expect(try await task.value == "7 \(TaskPriority.low) caller")
    #expect(try await port.run { _ in Self.local } == 0)
    running.stop()
  }

  // C1
  @Test("a loop that a task runs serves a call in the middle of it, and leaves its values alone")
  func nested() throws {
    try withLoop { loop in
      let (port, seen) = (loop.awaitedPort, Locked<[Int]>([]))
      Self.$local.withValue(1) {
        // Not on the pool, whose threads other tests may block.
        Task(executorPreference: ownThreads) {
          try await Self.$local.withValue(2) {
            let value = try await port.run { _ in Self.local }
            seen.withLock { $0.append(value) }
            port.stop()
          }
        }
        loop.run()
        seen.withLock { $0.append(Self.local) }
      }
      #expect(seen.withLock { $0 } == [2, 1])
    }
  }

  @TaskLocal private static var local = 0

  @Test("a full inbox does not refuse the call")  // L2
  func full() async throws {
    let (running, other) = (try RunningLoop(), try RunningLoop())
    let (port, begun, gate) = (running.port, Gate(), Gate())
    try await port.run { $0.postCapacity = 1 }
    try port.post {
      begun.open()
      gate.wait()
    }
    await waitOff(begun)
    try port.post {}
    #expect(throws: LoopPort.PostError.full) { try port.post {} }
    let task = Task(executorPreference: other.port) { try await port.run { _ in 7 } }
    // Runs after the task's first job, which has made the call.
    try await other.port.run { _ in }
    gate.open()
    #expect(try await task.value == 7)
    running.stop()
    other.stop()
  }

  @Test("a closed loop refuses the call, and a loop released without close() ends it")  // L2, L11
  func refuses() async throws {
    let port = try await onLoopThread { $0.port }
    await #expect(throws: LoopPort.PostError.closed) { try await port.run { _ in } }

    let (given, made) = (Locked<LoopPort?>(nil), Gate())
    let thread = Smuggled(
      TestThread {
        // The loop is never closed.
        Interposed.forgiveLeaks()
        guard let loop = try? EventLoop() else { return made.open() }
        given.withLock { $0 = loop.port }
        made.open()
        while !loop.hasWorkOrPosts { TestThread.yield() }
      }
    )
    made.wait()
    let other = try #require(given.withLock { $0 })
    await #expect(throws: LoopPort.PostError.closed) { try await other.run { _ in } }
    thread.value.join()
  }
}

/// An actor on a loop that calls `run` on it.
private actor Caller {
  nonisolated let port: LoopPort
  nonisolated var unownedExecutor: UnownedSerialExecutor { port.asUnownedSerialExecutor() }

  init(on port: LoopPort) { self.port = port }

  /// Returns true if the closure and this actor ran on the same thread.
  func runs() async throws -> Bool {
    let before = System.thread
    let inside = try await port.run { _ in System.thread }
    return before == inside && System.thread == inside
  }
}
