import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

@Suite("UVError")
struct UVErrorTests {
  @Test("a loop that finds no descriptor throws, says what to do, and leaves none open")  // L1
  func noDescriptors() async {
    await #expect(processExitsWith: .success) {
      // libuv's first loop opens what all share, and aborts if it can not.
      try EventLoop().close()
      // Each loop takes several: run out at every one of them in turn.
      var failures = 0
      for count in 0..<12 {
        Process.limitDescriptors(to: count)
        let before = Process.openDescriptors
        do throws(UVError) {
          try EventLoop().close()
        } catch {
          failures += 1
          #expect(error.name == "EMFILE")
          let text = error.description
          #expect(text.contains("EventLoop.init: too many open files"))
          #expect(text.contains("close descriptors, or raise the limit with `ulimit -n`"))
        }
        // libuv 1.44 forgets its poll when it finds no descriptor for the rest.
        let forgotten = (1...3).contains(count) ? 1 : 0
        #expect(Process.openDescriptors <= before + forgotten)
      }
      #expect((4..<12).contains(failures))
    }
  }

  @Test("a precise timer that finds no descriptor throws, and the loop goes on")  // L10
  func noTimerDescriptor() async {
    await #expect(processExitsWith: .success) {
      try withLoop { loop in
        Process.limitDescriptors(to: 1)
        let timer = try loop.addPreciseTimer(at: loop.now) { _ in }
        let error = #expect(throws: UVError.self) {
          try loop.addPreciseTimer(at: loop.now) { _ in }
        }
        let text = error?.description ?? ""
        #expect(text.contains("PreciseTimer: too many open files (EMFILE); close descriptors"))
        #expect(throws: UVError.self) { try FrameClock(on: loop) { _ in } }
        timer.cancel()
        // The descriptor of the one that ended is free again.
        try loop.addPreciseTimer(at: loop.now) { _ in }
        #expect(loop.run() == .finished)
        try loop.addPreciseTimer(at: loop.now) { _ in }
      }
    }
  }

  @Test("an error without a usual remedy is libuv's sentence and name")
  func plain() {
    let error = UVError(code: -9, operation: "Test.run")
    #expect(error.description == "Test.run: bad file descriptor (EBADF)")
  }
}
