import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

@Suite("UVError")
struct UVErrorTests {
  @Test("EventLoop.init throws without descriptors, and the error says what to do")  // L1
  func noDescriptors() async {
    await #expect(processExitsWith: .success) {
      // libuv leaks some memory of the loops it cannot open.
      Interposed.forgiveLeaks()
      // libuv's first loop opens shared descriptors, and aborts if it cannot.
      try EventLoop().close()
      // Opening a loop takes several descriptors. Try every limit that is too
      // low.
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

  @Test("EventLoop.init that fails for lack of a wake descriptor leaks nothing")  // L1, L11
  func leavesNothing() async {
    await #expect(processExitsWith: .success) {
      try EventLoop().close()
      let (before, heap) = (Process.openDescriptors, Interposed.heapBytes)
      // Allow one descriptor too few for libuv's loop and the wakes. With
      // fewer, libuv 1.44 itself leaks a descriptor, because it cannot open its
      // own loop.
      var failures = 0
      for _ in 0..<100 {
        Process.limitDescriptors(to: 4)
        if Self.open() != nil { failures += 1 }
      }
      // Allow small differences, because the test's own runtime may open and
      // close descriptors at any time.
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

  @Test("a loop's first precise timer throws without a descriptor, and all loops keep working")
  func noTimerDescriptor() async {  // L10
    await #expect(processExitsWith: .success) {
      Process.endInTime()
      let loops = try (0..<30).map { _ in try EventLoop() }
      Process.limitDescriptors(to: 10)
      let (timers, error) = Self.fill(loops) { loop throws(UVError) in
        try loop.addPreciseTimer(at: loop.now) { _ in }
      }
      let text = error?.description ?? ""
      let message = "EventLoop.addPreciseTimer: too many open files (EMFILE); close descriptors"
      #expect(text.contains(message))
      let (clocks, refusal) = Self.fill(Array(loops[timers.count...])) { loop throws(UVError) in
        try FrameClock(on: loop) { _ in }
      }
      #expect(refusal != nil)
      for clock in clocks { clock.cancel() }
      // All timers of a loop share one descriptor.
      var fired = 0
      for _ in 0..<100 { try loops[0].addPreciseTimer(at: loops[0].now) { _ in fired += 1 } }
      #expect(loops[0].runInTime() == .finished)
      #expect(fired == 100)
      #expect(loops[29].run() == .finished)
      // Each loop closes its descriptor.
      for loop in loops[..<5] { try loop.close() }
      for loop in loops[20..<22] { try loop.addPreciseTimer(at: loop.now) { _ in } }
      for loop in loops { try loop.close() }
    }
  }

  /// Creates an object on each loop until the process has no free descriptor.
  /// Another attempt may succeed immediately, because another thread may hold a
  /// descriptor for a moment.
  private static func fill<Made>(
    _ loops: [EventLoop],
    _ make: (EventLoop) throws(UVError) -> Made
  ) -> (made: [Made], error: UVError?) {
    var made: [Made] = []
    do throws(UVError) {
      for loop in loops { made.append(try make(loop)) }
      return (made, nil)
    } catch {
      return (made, error)
    }
  }

  @Test("an error without a known remedy is described by libuv's sentence and name")
  func plain() {
    let error = UVError(code: -9, operation: "Test.run")
    #expect(error.description == "Test.run: bad file descriptor (EBADF)")
  }
}
