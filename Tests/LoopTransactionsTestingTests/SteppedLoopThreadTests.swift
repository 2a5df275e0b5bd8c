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

/// Runs each job on a thread of its own.
private final class OtherThreads: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedTaskExecutor()
    _ = TestThread { job.runSynchronously(on: executor) }
  }
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
  #if DEBUG
    @Test("a nonisolated test that changes threads fails alone, and its error names @MainActor")
    func follows() async throws {
      let stepped = try SteppedLoop()
      let (loop, label) = (stepped.loop, Label())
      loop.commit(label, Label.layout)
      await withTaskExecutorPreference(OtherThreads()) { loop.commit(label, Label.layout) }
      stepped.step()
      #expect(label.layouts == 1)
      let error = #expect(throws: SteppedLoop.MovedError.self) { try stepped.close() }
      #expect(error?.operation == "EventLoop.commit")
      #expect("\(error as Any)".contains("mark the test @MainActor"))
    }
  #endif

  // On Linux, another thread may serve the main actor after an await.
  @MainActor
  @Test("a main-actor test uses the loop after each await, and so do its tasks")
  func mainActor() async throws {
    let stepped = try SteppedLoop()
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

  @Test("another task that uses the loop traps, and the message names @MainActor")
  func otherTask() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try useInOtherTask()
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("belongs to another thread"))
    #expect(text.contains("@MainActor"))
  }

  @Test("a test that fails before close() does not end the process")
  func failsEarly() async {
    await #expect(processExitsWith: .success) {
      // The loop is never closed.
      Interposed.forgiveLeaks()
      struct Failure: Error {}
      do {
        let stepped = try SteppedLoop()
        SteppedScheduler(on: stepped).scheduler.add { _ in }
        stepped.step()
        throw Failure()
      } catch {}
    }
  }
}
