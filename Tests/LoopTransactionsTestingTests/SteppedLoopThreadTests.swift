import Dispatch
import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

private final class Label {
  static let layout = Selector<Label>("layout") { $0.layouts += 1 }

  private(set) var layouts = 0
}

/// Returns in the caller's task, probably on another thread.
private func changeThread() async {
  await withTaskGroup { group in
    // Keeps this thread busy while the task resumes.
    for _ in 0..<4 { group.addTask { for _ in 0..<100 { await Task.yield() } } }
  }
}

/// Creates a loop for a test that is not isolated to an actor.
private func makeLoop() throws -> SteppedLoop { try SteppedLoop() }

/// Runs each job on a thread of its own.
private final class OtherThreads: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedTaskExecutor()
    _ = TestThread { job.runSynchronously(on: executor) }
  }
}

/// Uses a loop in code of an actor that is not the main actor.
private actor Tester {
  func test() async throws -> Int {
    let stepped = try await SteppedLoop()
    let label = Label()
    for _ in 0..<20 {
      stepped.loop.commit(label, Label.layout)
      await changeThread()
      stepped.step()
    }
    try stepped.close()
    return label.layouts
  }
}

private func failBeforeClose() throws {
  struct Failure: Error {}
  let stepped = try SteppedLoop()
  SteppedScheduler(on: stepped).scheduler.add { _ in }
  stepped.step()
  throw Failure()
}

/// Uses a loop in another task, while this thread is blocked.
private func useInOtherTask() throws {
  nonisolated(unsafe) let stepped = try SteppedLoop()
  let done = DispatchSemaphore(value: 0)
  Task.detached {
    stepped.step()
    done.signal()
  }
  done.wait()
}

// C6, L1
@Suite("SteppedLoop: threads")
struct SteppedLoopThreadTests {
  @Test("a nonisolated test that changes threads fails alone, and its error names @MainActor")
  func follows() async throws {
    let stepped = try makeLoop()
    let (loop, label) = (stepped.loop, Label())
    loop.commit(label, Label.layout)
    await withTaskExecutorPreference(OtherThreads()) { loop.commit(label, Label.layout) }
    stepped.step()
    #expect(label.layouts == 1)
    let error = #expect(throws: SteppedLoop.MovedError.self) { try stepped.close() }
    #expect(error?.operation == "EventLoop.commit")
    #expect("\(error as Any)".contains("mark the test @MainActor"))
  }

  @Test("a kept transaction that was committed before the loop moved stays linked once")
  func keptAcrossThreads() async throws {  // T10
    let stepped = try makeLoop()
    let (loop, label) = (stepped.loop, Label())
    let first = Transaction(label, Label.layout, on: loop)
    var second: Transaction? = Transaction(label, Label.layout, on: loop)
    first.commit()
    second?.commit()
    await withTaskExecutorPreference(OtherThreads()) {
      first.commit()
      second?.commit()
    }
    // A transaction that was linked twice would leave its address behind.
    _ = stepped.loop.now
    second = nil
    stepped.step()
    #expect(label.layouts == 1)
    #expect(!first.isPending && !loop.isPending(label, Label.layout))
    first.commit()
    stepped.step()
    #expect(label.layouts == 2)
    #expect(throws: SteppedLoop.MovedError.self) { try stepped.close() }
  }

  // On Linux, another thread may serve the main actor after an await.
  @MainActor
  @Test("a main-actor test uses the loop after each await, and so do its tasks")
  func mainActor() async throws {
    let stepped = try await SteppedLoop()
    let label = Label()
    for count in 1...200 {
      stepped.loop.commit(label, Label.layout)
      await changeThread()
      stepped.step()
      #expect(label.layouts == count)
    }
    await Task { stepped.loop.commit(label, Label.layout) }.value
    stepped.step()
    #expect(label.layouts == 201)
    try stepped.close()
  }

  @Test("a test on an actor of its own uses the loop after each await")
  func otherActor() async throws { #expect(try await Tester().test() == 20) }

  @MainActor
  @Test("a synchronous test on the main actor creates a loop without await")
  func synchronous() throws {
    let stepped = try SteppedLoop()
    stepped.step()
    try stepped.close()
  }

  @Test("an async test without an actor cannot create a loop, and the error names @MainActor")
  func noActor() async throws {
    let error = await #expect(throws: SteppedLoop.IsolationError.self) {
      _ = try await SteppedLoop()
    }
    #expect("\(error as Any)".contains("mark the test @MainActor"))
    await #expect(throws: SteppedLoop.IsolationError.self) {
      _ = try await SteppedLoop(choices: [])
    }
    await #expect(throws: SteppedLoop.IsolationError.self) {
      try await SteppedLoop.forEachOrder { _ in await Task.yield() }
    }
  }

  @Test("value(of:) throws without an actor, even if the loop exists")
  func valueWithoutActor() async throws {
    let stepped = try makeLoop()
    do {
      try await stepped.value(of: Task {})
      Issue.record("value(of:) returned")
    } catch {
      #expect(error is SteppedLoop.IsolationError)
    }
    try stepped.close()
  }

  @Test("another task that uses the loop traps, and the message names @MainActor")
  func otherTask() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try useInOtherTask()
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("belongs to another thread"))
    #expect(text.contains("@MainActor"))
  }

  @Test("a test that fails before close() does not end the process, but names the loop's place")
  func failsEarly() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      // The loop is never closed.
      Interposed.forgiveLeaks()
      try? failBeforeClose()
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("SteppedLoop: released without close()"))
    #expect(text.contains("LoopTransactionsTestingTests/SteppedLoopThreadTests.swift:"))
  }
}
