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

// X3
@Suite("LoopTrace: signals", .serialized)
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

  @Test("LOOPTRANSACTIONS_TRACE_ON without a path is reported, and nothing is traced")
  func noPath() async {
    let result = await #expect(
      processExitsWith: .success,
      observing: [\.standardErrorContent]
    ) {
      unsetenv("LOOPTRANSACTIONS_TRACE")
      setenv("LOOPTRANSACTIONS_TRACE_ON", "SIGUSR2", 1)
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
      processExitsWith: .success,
      observing: [\.standardErrorContent]
    ) { [path = path as String] in
      setenv("LOOPTRANSACTIONS_TRACE", path, 1)
      setenv("LOOPTRANSACTIONS_TRACE_ON", "SIGNOTHING,SIGUSR2", 1)
      try Self.mark()
      Process.raise(SIGUSR2)
      #expect(inTime { Self.marks(path) == 1 })
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("LOOPTRANSACTIONS_TRACE_ON: 'SIGNOTHING' is not supported; use SIGHUP,"))
    #expect(try file(path).marks == ["before the end"])
  }
}
