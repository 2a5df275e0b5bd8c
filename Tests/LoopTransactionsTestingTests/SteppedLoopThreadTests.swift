import Glibc
import LoopTransactions
import LoopTransactionsTesting
import Testing

private final class Label {
  static let layout = Selector<Label>("layout") { $0.layouts += 1 }

  private(set) var layouts = 0
}

/// Returns on another thread than the caller's, in the caller's task.
private func changeThread() async {
  let before = thread()
  for _ in 0..<10_000 where thread() == before {
    await withTaskGroup { group in
      // Keeps this thread busy while the task resumes.
      for _ in 0..<4 { group.addTask { for _ in 0..<100 { await Task.yield() } } }
    }
  }
}

@inline(never)
private func thread() -> UInt { UInt(pthread_self()) }

// C6, L1
@Suite("SteppedLoop: threads")
struct SteppedLoopThreadTests {
  #if DEBUG
    @Test("a nonisolated test that changes threads fails alone, and its error names @MainActor")
    func follows() async throws {
      let stepped = try SteppedLoop()
      let label = Label()
      let before = thread()
      stepped.loop.commit(label, Label.layout)
      await changeThread()
      try #require(thread() != before, "the thread pool has only one thread")
      stepped.loop.commit(label, Label.layout)
      stepped.step()
      #expect(label.layouts == 1)
      let error = #expect(throws: SteppedLoop.MovedError.self) { try stepped.close() }
      #expect(error?.operation == "EventLoop.commit")
      #expect("\(error as Any)".contains("mark the test @MainActor"))
    }
  #endif

  @MainActor
  @Test("a main-actor test stays on its thread")
  func mainActor() async throws {
    let stepped = try SteppedLoop()
    let label = Label()
    stepped.loop.commit(label, Label.layout)
    await Task.yield()
    stepped.step()
    #expect(label.layouts == 1)
    try stepped.close()
  }

  @Test("another task that uses the loop traps, and the message names @MainActor")
  func otherTask() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let other = try await MainActor.run {
        nonisolated(unsafe) let stepped = try SteppedLoop()
        return Task.detached { stepped.step() }
      }
      await other.value
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("belongs to another thread"))
    #expect(text.contains("@MainActor"))
  }

  @Test("a test that fails before close() does not end the process")
  func failsEarly() async {
    await #expect(processExitsWith: .success) {
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
