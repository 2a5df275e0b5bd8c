import FoundationEssentials
import TestSupport
import Testing

@testable import LoopTransactions

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

private func ignoreSignal(_ signal: Int32) {}

private func endAfterSignal(_ signal: Int32) {
  System.logToStandardError("the handler before")
  _exit(7)
}

// X3
@Suite("LoopTrace: signals and traps", .serialized)
struct LoopTraceSignalTests {
  private static func path(_ name: String) -> String { "/tmp/lt-trace-\(getpid())-\(name).json" }

  /// Records a mark on a loop.
  private static func mark(_ count: Int = 1) throws {
    try withLoop { loop in
      for _ in 0..<count { loop.post { LoopTrace.mark("before the end") } }
      loop.run(.noWait)
    }
  }

  /// The number of marks in the file at `path`, or nil if it cannot be read.
  private static func marks(_ path: String) -> Int? {
    try? TraceFile(String(contentsOfFile: path, encoding: .utf8)).marks.count
  }

  private func file(_ path: String) throws -> TraceFile {
    let file = try TraceFile(String(contentsOfFile: path, encoding: .utf8))
    #expect(file.fault == nil)
    return file
  }

  @Test("a signal writes the trace, each time, and the trace goes on")
  func onSignal() async {
    await #expect(processExitsWith: .success) {
      let path = Self.path("signal")
      let trace = try LoopTrace()
      try trace.write(to: path, onSignal: SIGUSR2)
      for count in 1...2 {
        try Self.mark()
        Process.raise(SIGUSR2)
        #expect(inTime { Self.marks(path) == count })
      }
      unlink(path)
    }
  }

  @Test("a signal that the process handles, and a number that is no signal, are refused")
  func refused() async {
    await #expect(processExitsWith: .success) {
      let trace = try LoopTrace()
      signal(SIGUSR1, ignoreSignal)
      let refused = [
        (SIGUSR1, "EBUSY"), (0, "EINVAL"), (SIGKILL, "EINVAL"), (900, "EINVAL"),
        (SIGSEGV, "EINVAL"), (SIGBUS, "EINVAL"), (SIGILL, "EINVAL"), (SIGFPE, "EINVAL"),
        (SIGTRAP, "EINVAL"),
      ]
      for (number, name) in refused {
        let error = #expect(throws: UVError.self) {
          try trace.write(to: "/tmp/never", onSignal: number)
        }
        #expect(error?.name == name)
      }
      try trace.write(to: "/tmp/never", onSignal: SIGUSR2)
      try trace.write(to: "/tmp/never", onSignal: SIGUSR2)
    }
  }

  @Test("a trap writes the last 10,000 events, and the process ends by its signal")
  func trap() async throws {
    let path = Self.path("trap")
    defer { unlink(path) }
    await #expect(processExitsWith: .signal(SIGILL)) { [path = path as String] in
      let trace = try LoopTrace()
      try trace.writeOnTrap(to: path)
      try Self.mark(8000)
      // A handled signal must not end the wait for the file.
      signal(SIGALRM) { _ in }
      let often = timeval(tv_sec: 0, tv_usec: 200)
      var timer = itimerval(it_interval: often, it_value: often)
      setitimer(__itimer_which_t(ITIMER_REAL.rawValue), &timer, nil)
      let none: [Int] = []
      try withLoop { loop in
        loop.post { print(none[getpid() > 0 ? 1 : 0]) }
        loop.run(.noWait)
      }
    }
    let file = try file(path)
    #expect(file.marks.count > 2000 && file.marks.count < 8000)
    // The piece of work that trapped has no end of its own.
    let last = file.spans.last { $0.category == "post" }
    #expect(last?.name.contains("LoopTraceSignalTests") == true)
  }

  @Test("a trap does afterwards what it did before, and abort() counts as a trap")
  func chained() async throws {
    let path = Self.path("chained")
    defer { unlink(path) }
    let result = await #expect(
      processExitsWith: .exitCode(7),
      observing: [\.standardErrorContent]
    ) { [path = path as String] in
      signal(SIGABRT, endAfterSignal)
      let trace = try LoopTrace()
      try trace.writeOnTrap(to: path)
      try Self.mark()
      abort()
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("the handler before"))
    #expect(try file(path).marks == ["before the end"])
  }

  /// Runs a case of main-thread-program that traps, with Swift's backtracer.
  private static func runTrapping(_ name: String, _ more: String...) throws -> TestProgram.Output {
    try TestProgram.run(
      TestProgram.built("main-thread-program"),
      [name] + more,
      // Without symbols, which take seconds to read.
      environment: [
        "SWIFT_BACKTRACE": "enable=yes,color=no,output-to=stderr,symbolicate=off,images=none"
      ]
    )
  }

  // The toolchain may lack the backtracer, and the system may refuse it to read the
  // program's memory. Under ThreadSanitizer it does not end.
  private static let hasBacktracer =
    !Interposed.isSanitized && (try? hasBacktrace(runTrapping("trapped"))) == true

  private static func hasBacktrace(_ output: TestProgram.Output) -> Bool {
    output.errors.contains("Program crashed: ") && output.errors.contains("Thread 0 ")
  }

  @Test(
    "a trap writes the trace, and Swift's backtracer then prints the stack",
    .enabled(if: hasBacktracer, "Swift's backtracer does not work here")
  )
  func backtrace() async throws {
    let path = Self.path("backtrace")
    defer { unlink(path) }
    let output = try Self.runTrapping("trapped", path)
    #expect(Self.hasBacktrace(output), "\(output.errors)")
    #expect(output.code < 0)
    #expect(try file(path).marks == ["before the end"])
  }

  @Test(
    "a stack overflow writes the trace on the main thread, and on no other thread",
    .enabled(if: hasBacktracer, "Swift's backtracer gives the main thread its signal stack")
  )
  func overflow() async throws {
    let path = Self.path("overflow")
    defer { unlink(path) }
    let output = try Self.runTrapping("overflown", path)
    #expect(Self.hasBacktrace(output) && output.code == -SIGSEGV, "\(output.errors)")
    #expect(try file(path).marks == ["before the end"])
    unlink(path)
    let elsewhere = try Self.runTrapping("overflownElsewhere", path)
    #expect(elsewhere.code == -SIGSEGV)
    #expect(Self.marks(path) == nil)
  }

  @Test("a forked child has the signal's default disposition, and writes no file")
  func forked() async {
    await #expect(processExitsWith: .success) {
      let path = Self.path("forked")
      let trace = try LoopTrace()
      let later = Self.path("later")
      try trace.write(to: path, onSignal: SIGUSR2)
      try trace.write(to: later, onSignal: SIGUSR1)
      let ending = Process.fork { Process.raise(SIGUSR2) }
      #expect(ending.status == -SIGUSR2, "\(ending.standardError)")
      // Files are written in the order of the signals.
      Process.raise(SIGUSR1)
      #expect(inTime { Self.marks(later) == 0 })
      #expect(access(path, F_OK) != 0)
      unlink(later)
    }
  }

  @Test(
    "a trap in a forked child runs the handler from before the parent's trace",
    .enabled(if: !Interposed.isSanitized, "ThreadSanitizer ends a child that starts a thread")
  )
  func forkedTrap() async {
    await #expect(processExitsWith: .success) {
      signal(SIGABRT, endAfterSignal)
      let (path, own) = (Self.path("parent"), Self.path("child"))
      let trace = try LoopTrace()
      try trace.writeOnTrap(to: path)
      var inherited = sigaction()
      sigaction(SIGABRT, nil, &inherited)
      let ending = Process.fork {
        // The tests' fork restores the default.
        sigaction(SIGABRT, &inherited, nil)
        guard let trace = try? LoopTrace(), (try? trace.writeOnTrap(to: own)) != nil else { return }
        LoopTrace.mark("child")
        abort()
      }
      #expect(ending.status == 7, "\(ending.standardError)")
      #expect(Self.marks(own) == 1)
      #expect(access(path, F_OK) != 0)
      unlink(own)
    }
  }

  @Test("LOOPTRANSACTIONS_TRACE_ON without a path is reported, and nothing is traced")
  func noPath() async {
    let result = await #expect(
      processExitsWith: .success,
      observing: [\.standardErrorContent]
    ) {
      unsetenv("LOOPTRANSACTIONS_TRACE")
      setenv("LOOPTRANSACTIONS_TRACE_ON", "trap", 1)
      try Self.mark()
      #expect(!LoopTrace.isRunning)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("LOOPTRANSACTIONS_TRACE_ON has no effect without"))
  }

  @Test("the environment arms a traced program, and words that it does not know are reported")
  func environment() async throws {
    let path = Self.path("environment-on")
    defer { unlink(path) }
    let result = await #expect(
      processExitsWith: .signal(SIGTRAP),
      observing: [\.standardErrorContent]
    ) { [path = path as String] in
      setenv("LOOPTRANSACTIONS_TRACE", path, 1)
      setenv("LOOPTRANSACTIONS_TRACE_ON", "trap,SIGNOTHING,SIGUSR2", 1)
      try Self.mark()
      raise(SIGTRAP)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("LOOPTRANSACTIONS_TRACE_ON: 'SIGNOTHING' is not supported; use trap,"))
    #expect(try file(path).marks == ["before the end"])
  }
}
