import Foundation
import Testing

/// The main loop in which a client's loop runs.
enum MainLoop: CaseIterable {
  case own
  case gtk
}

/// A client program that a test runs and commands.
final class Client {
  let program: TestProgram
  private let display: VirtualDisplay?
  private let trace: URL?
  private let name: String

  /// - Parameter folder: Where to write a trace of the system calls. Nil for no trace.
  init(
    _ name: String,
    _ arguments: [String],
    in loop: MainLoop = .own,
    environment: [String: String] = [:],
    tracedIn folder: ServerFolder? = nil
  ) throws {
    self.name = loop == .gtk ? name + " --gtk" : name
    display = loop == .gtk ? try VirtualDisplay() : nil
    trace = folder?.url.appendingPathComponent("\(name).trace")
    var words = [TestProgram.built(name)] + arguments
    var variables: [String: String?] = environment
    if let display {
      words.append("--gtk")
      variables["DISPLAY"] = display.name
      // The test has no session bus and no accessibility bus.
      variables["GTK_A11Y"] = "none"
      variables["DBUS_SESSION_BUS_ADDRESS"] = "disabled:"
      variables["G_DEBUG"] = "fatal-criticals"
    }
    // -D: the client, not strace, is the child that the test suspends. strace keeps standard
    // output open, so the trace is complete when that ends.
    if let trace { words = ["/usr/bin/strace", "-D", "-f", "-s", "16", "-o", trace.path] + words }
    // glibc overwrites freed memory, which exposes a use after free.
    variables["MALLOC_PERTURB_"] = "85"
    program = TestProgram(words[0], Array(words.dropFirst()), environment: variables)
    try program.start()
  }

  func send(_ lines: String...) throws { try program.send(lines) }

  /// Stops the program, and returns when it has stopped.
  func suspend() throws {
    let process = program.process.processIdentifier
    kill(process, SIGSTOP)
    var info = siginfo_t()
    guard waitid(P_PID, id_t(process), &info, Int32(WSTOPPED)) == 0 else {
      throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
    }
  }

  func resume() { kill(program.process.processIdentifier, SIGCONT) }

  /// Reads lines up to one that begins with `prefix`. Returns the rest of that line.
  func line(_ prefix: String) throws -> String {
    while let line = program.nextLine() {
      if line.hasPrefix(prefix) { return String(line.dropFirst(prefix.count)) }
    }
    let output = program.finish()
    throw Ended(awaited: prefix, code: output.code, errors: output.errors)
  }

  /// Makes `count` requests, each of which waits for its answer, and prints their times,
  /// which include the pipes to the client and back.
  func measure(_ count: Int = 500, _ request: (Int) throws -> Void) rethrows {
    let clock = ContinuousClock()
    let times = try (1...count).map { number in try clock.measure { try request(number) } }.sorted()
    let texts = [50, 99].map { percent in
      "p\(percent) \(times[count * percent / 100 - 1].formatted(.units(allowed: [.microseconds])))"
    }
    print("\(name): \(texts.joined(separator: ", ")) of \(count) round trips")
  }

  /// The number of ticks that the client's loop has made.
  func ticks() throws -> Int {
    try send("ticks")
    return Int(try line("ticks ")) ?? 0
  }

  /// Ends standard input. Returns the last lines, and expects success.
  func finish() throws -> [String] {
    try program.endInput()
    let output = program.finish()
    #expect(output.errors == "")
    #expect(output.code == 0)
    return output.lines
  }

  /// Expects a second in which the client neither wakes up nor makes a tick. Several are
  /// tried, because the server may still be about to send something.
  func expectIdleSecond() throws {
    var seconds: [Second] = []
    for _ in 0..<20 {
      let (wakes, ticks) = (try wakes(), try ticks())
      Thread.sleep(forTimeInterval: 1)
      let second = Second(wakes: try self.wakes() - wakes, ticks: try self.ticks() - ticks)
      if second.isIdle { return }
      seconds.append(second)
    }
    Issue.record("wakes and ticks in each of 20 idle seconds: \(seconds)")
  }

  /// The waits of the first thread and the ticks of the loop in a second.
  struct Second {
    let wakes: Int
    let ticks: Int

    /// The second began with a command, and ended with the next one's tick. A client that
    /// polls without a wait, or is busy with one tick, has no wait after its answer.
    var isIdle: Bool { wakes == 1 && ticks == 1 }
  }

  /// How often the first thread has waited.
  private func wakes() throws -> Int {
    let process = program.process.processIdentifier
    let file = "/proc/\(process)/task/\(process)/status"
    let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
    let line = lines.first { $0.hasPrefix("voluntary_ctxt_switches") }
    return line?.split(whereSeparator: \.isWhitespace).last.flatMap { Int($0) } ?? 0
  }

  /// The system calls of a traced client that has ended, one a line.
  func calls() throws -> [Substring] {
    let trace = try #require(trace)
    return try String(contentsOf: trace, encoding: .utf8).split(separator: "\n")
  }

  /// The bytes of each write to one descriptor, for each tick of a traced client that writes to
  /// it. A tick ends with a wait.
  ///
  /// - Parameter text: The beginning of the first write to the descriptor that counts.
  func writesInTicks(by call: String, beginningWith text: String) throws -> [[Int]] {
    let calls = try calls().map { $0.drop { $0.isNumber || $0 == " " } }
    let isFirst = { (line: Substring) in line.hasPrefix(call) && line.contains(", \"" + text) }
    let first = try #require(calls.firstIndex(where: isFirst))
    let name = calls[first].prefix { $0 != "," } + ","
    return calls[first...].split { $0.hasPrefix("epoll_wait(") }.map { tick in
      tick.filter { $0.hasPrefix(name) }.compactMap {
        $0.split(separator: " ").last.flatMap { Int($0) }
      }
    }.filter { !$0.isEmpty }
  }

  /// The system calls that a traced client makes in 100 idle ticks: between two commands.
  func expectNoCallsInIdleTicks() throws {
    for _ in 0..<101 { _ = try ticks() }
    _ = try finish()
    let calls = try calls().map { $0.drop { $0.isNumber || $0 == " " } }
    let answers = calls.indices.filter { calls[$0].hasPrefix("write(1, \"ticks") }
    let (first, last) = (try #require(answers.first), try #require(answers.last))
    let names = Set(calls[first..<last].map { $0.prefix { $0 != "(" } })
    // The commands are read, answered and waited for. The rest is malloc's.
    #expect(names.isSubset(of: ["read", "write", "epoll_wait", "brk", "mmap", "munmap"]))
  }

  struct Ended: Error {
    let awaited: String
    let code: Int32
    let errors: String
  }
}

@Suite("the idle second of a client")
struct IdleSecondTests {
  @Test(
    "a client that spins, wakes up or makes ticks is not idle",
    arguments: [(0, 50_000), (0, 1), (1, 2), (2, 1), (100, 100)]
  )
  func busy(_ wakes: Int, _ ticks: Int) {
    #expect(!Client.Second(wakes: wakes, ticks: ticks).isIdle)
  }

  @Test("a client that only answers the two commands is idle")
  func idle() { #expect(Client.Second(wakes: 1, ticks: 1).isIdle) }
}

/// Runs a server in `folder`. Its standard error is standard output, too.
func startServer(_ words: [String]) throws -> TestProgram {
  let program = TestProgram("/bin/sh", ["-c", "exec \"$@\" 2>&1", "sh"] + words)
  try program.start()
  return program
}

/// Whether a suite can test `client`: it was built, and its server is installed. Prints a note
/// for the summary of scripts/check otherwise.
func canTest(_ client: String, _ server: String, _ isInstalled: Bool) -> Bool {
  let isBuilt = FileManager.default.isExecutableFile(atPath: TestProgram.built(client))
  if !isBuilt { print("note: \(client) was not built, so it was skipped") }
  if !isInstalled { print("note: \(server) is not installed, so \(client) was skipped") }
  return isBuilt && isInstalled
}

/// Whether `program` is on PATH.
func isInstalled(_ program: String) -> Bool { TestProgram.installed(program) != nil }
