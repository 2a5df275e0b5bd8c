import LoopTransactions
import LoopTransactionsDispatch
import LoopTransactionsFoundation
import LoopTransactionsTesting
import TestSupport
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite("UVError")
struct UVErrorTests {
  @Test("EventLoop.init throws without descriptors, and the error says what to do")  // L1
  func noDescriptors() async {
    await #expect(processExitsWith: .success) {
      // libuv leaks some memory of the loops it cannot open.
      Interposed.forgiveLeaks()
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

  // libuv's first loop opens shared descriptors, and aborts if it cannot.
  @Test("a process's first EventLoop throws without descriptors", arguments: 0..<9)  // L1
  func noDescriptorsAtFirst(count: Int) async {
    await #expect(processExitsWith: .success) { [count] in
      Interposed.forgiveLeaks()
      Process.limitDescriptors(to: count)
      // libuv 1.45 and newer open an io_uring, too.
      if count == 7 { _ = Self.open() } else { #expect((Self.open() == nil) == (count > 7)) }
      Process.limitDescriptors(to: 100)
      #expect(Self.open() == nil)
    }
  }

  @Test("EventLoop.init that fails for lack of any descriptor loses none", arguments: 0..<6)
  func leavesNothing(count: Int) async {  // L1, L11
    await #expect(processExitsWith: .success) { [count] in
      Interposed.forgiveLeaks()
      try EventLoop().close()
      let (before, heap) = (Process.openDescriptors, Interposed.heapBytes)
      var failures = 0
      for _ in 0..<100 {
        Process.limitDescriptors(to: count)
        if Self.open() != nil { failures += 1 }
      }
      // Allow small differences, because the test's own runtime may open and
      // close descriptors at any time.
      #expect(failures > 90 || count == 5)
      #expect(Process.openDescriptors < before + 20)
      // libuv loses a buffer of 1 KB of a loop whose pipes it cannot open.
      #expect(Interposed.heapBytes < heap + 300_000)
      // The leak check at exit opens descriptors too, and fails without any.
      Process.limitDescriptors(to: 100)
    }
  }

  /// Closes `streams` in a child, where no other thread can open a descriptor
  /// meanwhile, and runs `body`. Then the streams must be open, and stay open in
  /// started programs. Reading from them must end, and writing must fail.
  private static func expectFilled(_ streams: [Int32], after body: () throws -> Void) {
    let ending = Process.fork {
      for stream in streams { close(stream) }
      guard (try? body()) != nil else { _exit(1) }
      var byte: UInt8 = 0
      for stream in streams {
        guard Process.isInherited(stream) else { _exit(2) }
        guard read(stream, &byte, 1) == 0, write(stream, &byte, 1) == -1 else { _exit(3) }
      }
    }
    #expect(ending.status == 0)
  }

  @Test("closed standard streams are filled, so that no descriptor of a loop is one of them")
  func standardStreams() async {  // L1
    await #expect(processExitsWith: .success) {
      for streams: [Int32] in [[0], [1], [2], [0, 2], [0, 1, 2]] {
        Self.expectFilled(streams) {
          let loops = try (0..<3).map { _ in try EventLoop() }
          for loop in loops { try loop.close() }
        }
      }
    }
  }

  @Test("an adopted loop and a trace's thread fill closed standard streams too")
  func standardStreamsOtherwise() async {  // L1, X3
    await #expect(processExitsWith: .success) {
      Self.expectFilled([0, 1, 2]) {
        let thread = try LoopThread(name: "streams")
        thread.stop()
        try thread.join()
      }
      let host = ForeignLoop()
      Self.expectFilled([0, 1, 2]) { try EventLoop(adopting: host.address).close() }
      #expect(host.close())
      Self.expectFilled([0, 1, 2]) {
        try LoopTrace().write(to: "/tmp/never", onSignal: SIGUSR2)
      }
    }
  }

  // Dispatch traps if it cannot open the descriptors of its first sources.
  @Test(
    "a process's first host on the main queue throws without descriptors",
    arguments: 0..<9,
    ["DispatchHost", "RunLoopHost"]
  )
  func noDescriptorsForDispatch(count: Int, name: String) async {  // L1
    await #expect(processExitsWith: .success) { [count, name] in
      try await MainActor.run {
        let loop = try EventLoop()
        let make = { () throws(UVError) in
          if name == "DispatchHost" {
            try DispatchHost(loop).cancel()
          } else {
            try RunLoopHost(loop).cancel()
          }
        }
        Process.limitDescriptors(to: count)
        let error = Self.error(make)
        // The main queue may have its descriptor already.
        if count != 4 { #expect((error == nil) == (count > 4)) }
        let message = "\(name).init: too many open files (EMFILE)"
        if let error { #expect(error.description.hasPrefix(message)) }
        Process.limitDescriptors(to: 100)
        #expect(Self.error(make) == nil)
        try loop.close()
      }
    }
  }

  private static func error(_ body: () throws(UVError) -> Void) -> UVError? {
    do throws(UVError) {
      try body()
      return nil
    } catch {
      return error
    }
  }

  private static func open() -> UVError? {
    error { () throws(UVError) in try EventLoop().close() }
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

  @Test("control characters of a name are escaped in a message")
  func controls() throws {
    #expect("a\u{0}\u{1B}\r\n\u{85}é".escapingControls() == #"a\u0000\u001b\u000d\u000a\u0085é"#)
    #expect("a\r\nb".escapingControls(except: "\n") == "a\\u000d\nb")
    #expect("plain µs".escapingControls() == "plain µs")
    let error = #expect(throws: UVError.self) { try LoopThread(name: "cut\u{0}\u{1B}[31m") }
    #expect(error?.description.contains(#"'cut\u0000\u001b[31m'"#) == true)
    #expect(error?.operation.contains("cut\u{0}\u{1B}[31m") == true)
  }
}
