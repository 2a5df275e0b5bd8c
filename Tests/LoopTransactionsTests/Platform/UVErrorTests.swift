import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

@Suite("UVError")
struct UVErrorTests {
  @Test("a loop that finds no descriptor throws, and says what to do")  // L1
  func noDescriptors() async {
    await #expect(processExitsWith: .success) {
      // Of those that libuv can not open it forgets some memory.
      Interposed.forgiveLeaks()
      // libuv's first loop opens what all share, and aborts if it can not.
      try EventLoop().close()
      // Each loop takes several: run out at every one of them in turn.
      var failures = 0
      for count in 0..<12 {
        Process.limitDescriptors(to: count)
        guard let error = Self.open() else { continue }
        failures += 1
        #expect(error.name == "EMFILE")
        let text = error.description
        #expect(text.contains("EventLoop.init: too many open files"))
        #expect(text.contains("close descriptors, or raise the limit with `ulimit -n`"))
      }
      #expect((4..<12).contains(failures))
    }
  }

  @Test("a loop that finds no descriptor for its wakes leaves nothing behind")  // L1, L11
  func leavesNothing() async {
    await #expect(processExitsWith: .success) {
      try EventLoop().close()
      let (before, heap) = (Process.openDescriptors, Interposed.heapBytes)
      // One too few for libuv's loop and the wakes. libuv 1.44 itself forgets
      // one where it finds too few for its own.
      var failures = 0
      for _ in 0..<100 {
        Process.limitDescriptors(to: 4)
        if Self.open() != nil { failures += 1 }
      }
      // Not equal: the test's own runtime opens and closes some when it likes.
      #expect(failures > 90)
      #expect(Process.openDescriptors < before + 20)
      #expect(Interposed.heapBytes < heap + 100_000)
    }
  }

  private static func open() -> UVError? {
    do throws(UVError) {
      try EventLoop().close()
      return nil
    } catch {
      return error
    }
  }

  @Test("a precise timer that finds no descriptor throws, and the loop goes on")  // L10
  func noTimerDescriptor() async {
    await #expect(processExitsWith: .success) {
      try withLoop { loop in
        Process.limitDescriptors(to: 10)
        let (timers, error) = Self.fill(loop)
        let text = error?.description ?? ""
        let message = "EventLoop.addPreciseTimer: too many open files (EMFILE); close descriptors"
        #expect(text.contains(message))
        let (clocks, refusal) = Self.fill { () throws(UVError) in
          try FrameClock(on: loop) { _ in }
        }
        #expect(refusal != nil)
        for clock in clocks { clock.cancel() }
        // The descriptors of those that end are free again, twice over.
        for timer in timers { timer.cancel() }
        #expect(Self.fill(loop).made.count >= timers.count - 2)
        loop.run()
        #expect(Self.fill(loop).made.count >= timers.count - 2)
      }
    }
  }

  /// Adds precise timers until there is no descriptor.
  private static func fill(_ loop: EventLoop) -> (made: [LoopTimer], error: UVError?) {
    fill { () throws(UVError) in try loop.addPreciseTimer(at: loop.now) { _ in } }
  }

  /// Makes some until there is no descriptor. Where another thread had one for a moment,
  /// one that was missing may be free right after.
  private static func fill<Made>(
    _ make: () throws(UVError) -> Made
  ) -> (made: [Made], error: UVError?) {
    var made: [Made] = []
    do throws(UVError) {
      while made.count < 100 { made.append(try make()) }
      return (made, nil)
    } catch {
      return (made, error)
    }
  }

  @Test("an error without a usual remedy is libuv's sentence and name")
  func plain() {
    let error = UVError(code: -9, operation: "Test.run")
    #expect(error.description == "Test.run: bad file descriptor (EBADF)")
  }
}
