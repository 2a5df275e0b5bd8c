import Foundation
import LoopWatch
import TestSupport
import Testing

/// The program `watch-cases` sleeps in a system call, or holds its loop.
@Suite("Watched programs")
struct WatchedProgramTests {
  /// The words for the call whose name begins with `start`, in which the program sleeps.
  private func reason(of start: String, _ words: String...) throws -> String? {
    let program = TestProgram(TestProgram.built("watch-cases"), words)
    try program.start()
    defer { program.terminate() }
    return try reason(of: start, in: program)
  }

  private func reason(of start: String, in program: TestProgram) throws -> String? {
    let number = program.process.processIdentifier
    let files = try #require(ThreadFiles(process: number, thread: number))
    while program.process.isRunning {
      if let reason = files.observe()?.reason, reason.hasPrefix(start) { return reason }
      sched_yield()
    }
    return nil
  }

  @Test("a blocked call names its file, pipe, socket, child or lock")
  func reasons() throws {
    let path = "/tmp/watch-fifo-\(getpid())"
    #expect(mkfifo(path, 0o600) == 0)
    defer { unlink(path) }
    #expect(try reason(of: "read of /tmp", "read-file", path) == "read of \(path)")
    #expect(try reason(of: "openat of /tmp", "open-file", path) == "openat of \(path)")
    #expect(try reason(of: "read of a", "read-pipe") == "read of a pipe")
    #expect(try reason(of: "recv", "receive") == "recvfrom of a socket")
    #expect(try reason(of: "wait", "wait-for-child") == "wait for the child planted-child")
    #expect(try reason(of: "a lock", "lock-twice") == "a lock or another thread")
    #expect(try reason(of: "sleep", "sleep-long") == "sleep")
  }

  @Test(
    "a stat file is divided at the last parenthesis",
    arguments: [
      ("7 (node) S 1 -1 30\n", "node", "S"), ("7 () R 1 -1 30", "", "R"),
      ("7 (a) R (b) T 2 ) Z 1 -1 30\n", "a) R (b) T 2 ", "Z"),
    ]
  )
  func stat(text: String, name: String, state: Character) throws {
    let path = "/tmp/watch-stat-\(getpid())-\(state)\(name.count)"
    defer { unlink(path) }
    try Data(text.utf8).write(to: URL(filePath: path))
    let file = try #require(ProcessFile(path))
    #expect(file.state() == state)
    let parts = file.withStat { (String(decoding: $0, as: UTF8.self), ProcessFile.numbers($1, 3)) }
    #expect(parts?.0 == name)
    #expect(parts?.1 == [1, 1, 30])
    // The process has ended, or the file is of another kind.
    for text in ["", "7 (node", "7 (node)", "7 )node( S 1"] {
      try Data(text.utf8).write(to: URL(filePath: path))
      #expect(file.state() == nil && ProcessFile(path)?.state() == nil)
    }
  }

  @Test("the processes that used the CPUs are found with their names")
  func cpuUsers() throws {
    let name = try #require(ProcessFile.line("/proc/self/comm"))
    let second: UInt64 = 1_000_000_000
    var users = CPUUsers()
    users.read(at: second, except: [])
    #expect(users.users.isEmpty)
    // The kernel counts in steps of 10 ms.
    let end = clock() + CLOCKS_PER_SEC / 10
    while clock() < end {}
    users.read(at: 2 * second, except: [])
    let own = try #require(users.users.first { $0.name == name })
    #expect(own.cpus >= 0.08)
  }

  @Test(
    "a call of a connected socket names the peer",
    .enabled("needs pidfd_getfd(), which containers forbid") {
      try TestProgram.run(TestProgram.built("watch-cases"), ["copy-descriptor"]).code == 0
    },
    arguments: ["receive-tcp", "receive-tcp6"]
  )
  func peers(name: String) throws {
    let program = TestProgram(TestProgram.built("watch-cases"), [name])
    try program.start()
    defer { program.terminate() }
    // Without IPv6, the program ends and prints nothing.
    guard let peer = program.nextLine() else { return #expect(name == "receive-tcp6") }
    #expect(try reason(of: "recv", in: program) == "recvfrom of a socket to \(peer)")
  }

  @Test("a call of connect() names the peer that has not answered")
  func connecting() throws {
    let path = "/tmp/watch-socket-\(getpid())"
    defer { unlink(path) }
    #expect(try reason(of: "connect", "connect-unix", path) == "connect of a socket to \(path)")
  }

  @Test(
    "a signal that arrives when the program has just been started ends both",
    .enabled(if: !Interposed.isSanitized, "a shell cannot preload a library with a sanitizer")
  )
  func earlySignal() throws {
    let program = TestProgram(
      TestProgram.built("loopbench-watch"),
      ["--", "sh", "-c", "kill -TERM $PPID; exec sleep 60"]
    )
    try program.startUnblocked()
    #expect(program.finish().code == 128 + SIGTERM)
  }

  @Test(
    "a watch without libdw names causes, and says how to install libdw",
    .enabled(if: !Interposed.isSanitized, "a program cannot preload a sanitizer")
  )
  func noLibdw() throws {
    let program = TestProgram.built("watch-cases")
    let output = try withoutLibdw { try watch([], [program, "hold-loop"], environment: $0) }
    #expect(output.code == 0)
    #expect(output.errors.contains("libdw.so.1: file too short. Install it: apt install libdw1"))
    #expect(output.errors.contains("ms  running "), "\(output.errors)")
  }
}

@Suite(
  "Watched programs: ends",
  .enabled(if: !Interposed.isSanitized, "a sanitizer does not permit to preload the library")
)
struct WatchedEndTests {
  @Test("a program without a loop has advice, and another one if it left a daemon")
  func advice() throws {
    let program = TestProgram.built("watch-cases")
    let plain = try watch([], ["true"], environment: [:]).errors
    #expect(plain.hasPrefix("no loop was found") && plain.contains("linked statically"))
    let left = try watch([], [program, "left-daemon"], environment: [:])
    let process = left.text.split(separator: "\n").first.flatMap { Int32($0) }
    let daemon = try #require(process)
    #expect(kill(daemon, SIGKILL) == 0)
    #expect(left.errors.contains("left process \(daemon): "), "\(left.errors)")
    #expect(!left.errors.contains("linked statically"))
  }
}

extension WatchedEndTests {
  @Test("a watch that follows children goes on when the program has ended before them")
  func followedChild() throws {
    // The watch reaps the shell at its end.
    let child = "while kill -0 $$ 2>/dev/null; do :; done; exec \"$0\" hold-loop"
    let output = try watch(
      ["--follow"],
      ["sh", "-c", "(\(child)) & exit 3", TestProgram.built("watch-cases")],
      environment: [:]
    )
    #expect(output.code == 3 && output.errors.contains("ms  running "), "\(output.errors)")
  }

  @Test("SIGHUP, SIGINT and SIGQUIT that are ignored end neither the watch nor the program")
  func ignoredSignals() throws {
    let signals = "for signal in HUP INT QUIT; do kill -$signal $PPID; kill -$signal $$; done"
    let program = TestProgram(
      "/bin/sh",
      [
        "-c", "trap '' HUP INT QUIT; exec \"$0\" \"$@\"", TestProgram.built("loopbench-watch"),
        "--", "sh", "-c", "\(signals); exit 7",
      ]
    )
    try program.startUnblocked()
    #expect(program.finish().code == 7)
  }
}

/// Watches a program with a threshold of 50 ms.
func watch(
  _ options: [String],
  _ command: [String],
  environment: [String: String?]
) throws -> TestProgram.Output {
  try TestProgram.run(
    TestProgram.built("loopbench-watch"),
    ["--threshold", "50ms"] + options + ["--"] + command,
    environment: environment
  )
}

/// Calls `body` with an environment in which libdw cannot be loaded.
func withoutLibdw<Result>(_ body: ([String: String?]) throws -> Result) throws -> Result {
  let folder = "/tmp/watch-libraries-\(UUID())"
  try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
  defer { try? FileManager.default.removeItem(atPath: folder) }
  #expect(FileManager.default.createFile(atPath: folder + "/libdw.so.1", contents: nil))
  return try body(["LD_LIBRARY_PATH": folder])
}
