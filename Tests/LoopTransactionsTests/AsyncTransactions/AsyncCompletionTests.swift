import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

@Suite("AsyncTransaction: completion")
struct AsyncCompletionTests {
  @Test("completion returns on the caller's actor, after completions and closures")  // O6, O13
  func returns() async throws {
    let running = try RunningLoop()
    let trace = Trace()
    try await Owner(on: running.port).awaitsOne(trace)
    #expect(trace.events == ["completion 1", "ending", "resumed true", "again"])
    running.stop()
  }

  @Test("tasks that wait for one transaction resume in the order in which they began")  // O6
  func several() async throws {
    let running = try RunningLoop()
    let trace = Trace()
    try await Owner(on: running.port).awaitsThree(trace)
    #expect(trace.events == ["completion", "0", "1", "2"])
    running.stop()
  }

  @Test("cancelling the waiting task does not end the wait")  // O6
  func cancelled() async throws {
    let running = try RunningLoop()
    let trace = Trace()
    try await Owner(on: running.port).awaitsCancelled(trace)
    #expect(trace.events == ["cancelled", "completion", "resumed true"])
    running.stop()
  }

  @Test("completion traps off the loop")  // O6, L1
  func offLoop() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let loop = try EventLoop()
      let transaction = Smuggled(AsyncTransaction(on: loop, scheduler: .alone()))
      await Task.detached(executorPreference: ownThreads) {
        await transaction.value.completion
      }.value
      try loop.close()
    }
    #expect(said(result, "AsyncTransaction.completion: the loop belongs to another thread"))
  }

  @Test("closing the loop completes a transaction that a task waits for")  // O6, L11
  func closes() async throws {
    let (trace, gate, done) = (Trace(), TaskGate(), Gate())
    try await onLoopThread { loop in
      let began = Tally()
      Owner(on: loop.port, gate).beginTask(trace, began) { done.open() }
      while began.value == 0 { loop.run(.noWait) }
    }
    await waitWithoutLimit(done)
    gate.open()
    #expect(trace.events == ["cancelled", "resumed"])
  }

  @Test("releasing the loop without close() resumes a task that waits for a transaction")  // L11
  func released() async throws {
    let (trace, gate, done) = (Trace(), TaskGate(), Gate())
    _ = TestThread {
      // The loop is never closed.
      Interposed.forgiveLeaks()
      guard let loop = try? EventLoop() else { return }
      let began = Tally()
      Owner(on: loop.port, gate).beginTask(trace, began) { done.open() }
      while began.value == 0 { loop.run(.noWait) }
    }
    await waitWithoutLimit(done)
    gate.open()
    #expect(trace.events == ["resumed"])
  }
}

/// Waits for `gate` without blocking a thread of the concurrency pool.
///
/// Has no time limit: a resumed task may pass through the pool, and other tests
/// may occupy every thread of the pool until they end.
private func waitWithoutLimit(_ gate: Gate) async {
  await withCheckedContinuation { continuation in
    _ = TestThread {
      gate.wait()
      continuation.resume()
    }
  }
}

/// An actor on a loop that owns transactions.
private actor Owner {
  nonisolated let port: LoopPort
  nonisolated var unownedExecutor: UnownedSerialExecutor { port.asUnownedSerialExecutor() }
  private let scheduler = OperationScheduler.alone()
  private let gate: TaskGate

  init(on port: LoopPort, _ gate: TaskGate = TaskGate()) {
    self.port = port
    self.gate = gate
  }

  func awaitsOne(_ trace: Trace) async throws {
    let loop = try #require(EventLoop.current)
    let transaction = AsyncTransaction(on: loop, scheduler: scheduler)
    transaction.add { _ in
      1
    } completion: {
      trace.record("completion \($0.value ?? 0)")
    }
    transaction.whenComplete { _ in trace.record("ending") }
    transaction.commit()
    await transaction.completion
    trace.record("resumed \(EventLoop.current === loop)")
    await transaction.completion
    trace.record("again")
  }

  /// A committed transaction whose operation waits for the gate.
  private func held(on loop: EventLoop, _ trace: Trace) -> (AsyncTransaction, Gate) {
    let (transaction, gate) = (AsyncTransaction(on: loop, scheduler: scheduler), Gate())
    transaction.add { _ in
      gate.wait()
    } completion: { _ in
      trace.record("completion")
    }
    transaction.commit()
    return (transaction, gate)
  }

  func awaitsThree(_ trace: Trace) async throws {
    let loop = try #require(EventLoop.current)
    let (transaction, gate) = held(on: loop, trace)
    let tasks = (0..<3).map { number in
      Task {
        _ = self
        await transaction.completion
        trace.record("\(number)")
      }
    }
    // Lets the tasks begin.
    try await port.run { _ in gate.open() }
    for task in tasks { await task.value }
  }

  func awaitsCancelled(_ trace: Trace) async throws {
    let loop = try #require(EventLoop.current)
    let (transaction, gate) = held(on: loop, trace)
    let task = Task {
      _ = self
      await transaction.completion
      trace.record("resumed \(Task.isCancelled)")
    }
    // Lets the task begin, and then see its cancellation.
    try await port.run { _ in }
    task.cancel()
    try await port.run { _ in }
    trace.record("cancelled")
    gate.open()
    await task.value
  }

  /// Begins a task that waits for a transaction without an end, and then calls
  /// `body`.
  ///
  /// The task prefers the loop, so that it does not begin on the concurrency
  /// pool.
  nonisolated func beginTask(
    _ trace: Trace,
    _ began: Tally,
    _ body: @escaping @Sendable () -> Void
  ) {
    Task(executorPreference: port) {
      await self.awaitsEndless(trace, began)
      body()
    }
  }

  private func awaitsEndless(_ trace: Trace, _ began: Tally) async {
    guard let transaction = commitEndless(trace) else { return }
    began.increment()
    await transaction.completion
    trace.record("resumed")
  }

  // A function of its own, because a local reference to the loop in a task that
  // waits would keep the loop.
  private func commitEndless(_ trace: Trace) -> AsyncTransaction? {
    guard let loop = EventLoop.current else { return nil }
    let transaction = AsyncTransaction(on: loop, scheduler: scheduler)
    transaction.add { [gate] _ in
      await gate.wait()
    } completion: {
      if case .cancelled = $0 { trace.record("cancelled") }
    }
    transaction.commit()
    return transaction
  }
}
