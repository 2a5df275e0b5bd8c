internal import CLoopWatch
import LoopTransactions
import LoopbenchKit

/// The programs of this user whose threads wait in an event loop.
package struct LoopList: Equatable, Sendable {
  /// One process with a loop.
  package struct Program: Equatable, Sendable {
    package var process: Int32
    package var command: String
    /// The number of threads that waited for events.
    package var loops: Int
    /// The kinds of their waits, such as `epoll`.
    package var waits: [String]
    /// The CPU time of these threads, as a share of the time between two looks.
    package var share: Double

    package init(process: Int32, command: String, loops: Int, waits: [String], share: Double) {
      (self.process, self.command, self.loops) = (process, command, loops)
      (self.waits, self.share) = (waits, share)
    }
  }

  /// Busy loops first, and then epoll before poll and select, which other programs use, too.
  package let programs: [Program]
  /// The number of processes of other users.
  package let ofOthers: Int
  /// The number of processes of this user that may not be read.
  package let unreadable: Int
  /// The reason for which they may not be read.
  package let refusal: String?

  /// Compares two looks at the processes.
  package init(_ first: ProcessLook, _ second: ProcessLook) {
    let length = Double(max(second.time.since(first.time), 1))
    programs = second.processes.compactMap { number, process in
      Self.program(number, process, since: first.processes[number], length)
    }.sorted { Self.rank($0) < Self.rank($1) }
    (ofOthers, unreadable, refusal) = (second.ofOthers, second.unreadable, second.refusal)
  }

  private static func program(
    _ number: Int32,
    _ process: ProcessLook.Process,
    since earlier: ProcessLook.Process?,
    _ length: Double
  ) -> Program? {
    var waits: [Int32: String] = [:]
    for (thread, look) in process.threads {
      waits[thread] = look.wait ?? earlier?.threads[thread]?.wait
    }
    let counted = waits.isEmpty ? Set(process.threads.keys) : Set(waits.keys)
    let used = counted.reduce(UInt64(0)) { sum, thread in
      guard let before = earlier?.threads[thread], let now = process.threads[thread] else {
        return sum
      }
      return sum + now.running.since(before.running)
    }
    // The loop of a process with an epoll descriptor that does not wait is held.
    guard !waits.isEmpty || process.hasEpoll else { return nil }
    return Program(
      process: number,
      command: process.command,
      loops: waits.count,
      waits: waits.isEmpty ? ["held"] : Set(waits.values).sorted(),
      share: Double(used) / length
    )
  }

  private static func rank(_ program: Program) -> (Int, Int, Int, Int32) {
    let isOther = program.waits.contains("epoll") ? 0 : 1
    return (-Int((program.share * 100).rounded()), isOther, -program.loops, -program.process)
  }
}

/// One look at all processes.
package struct ProcessLook: Sendable {
  package struct Process: Sendable {
    package var command: String
    package var hasEpoll = false
    package var threads: [Int32: Thread] = [:]

    package init(command: String, hasEpoll: Bool = false, threads: [Int32: Thread] = [:]) {
      (self.command, self.hasEpoll, self.threads) = (command, hasEpoll, threads)
    }
  }

  package struct Thread: Sendable {
    /// Time on a CPU, in ns.
    package var running: UInt64
    /// The kind of wait that the thread is in; nil if it does not wait for events.
    package var wait: String?

    package init(running: UInt64, wait: String? = nil) {
      (self.running, self.wait) = (running, wait)
    }
  }

  /// In ns.
  package var time: UInt64
  package var processes: [Int32: Process] = [:]
  package var ofOthers = 0
  package var unreadable = 0
  package var refusal: String?

  package init(time: UInt64) { self.time = time }
}

// MARK: - Reading

extension LoopList {
  /// The list of now, from two looks 200 ms apart; nil if `/proc` cannot be read.
  package static func read() throws -> LoopList? {
    guard let first = ProcessLook.now() else { return nil }
    let loop = try EventLoop()
    loop.addTimer(after: .milliseconds(200)) { _ in loop.stop() }
    loop.run()
    try loop.close()
    return ProcessLook.now().map { LoopList(first, $0) }
  }
}

extension ProcessLook {
  /// Reads all processes but this one; nil if `/proc` cannot be read.
  fileprivate static func now() -> ProcessLook? {
    guard let own = ProcessFile.link("/proc/self"), let user = user(of: own) else { return nil }
    var look = ProcessLook(time: lw_now())
    for name in ProcessFile.names(in: "/proc") where name != own {
      guard let number = Int32(name), let other = Self.user(of: name) else { continue }
      guard other == user else {
        look.ofOthers += 1
        continue
      }
      look.add(number)
    }
    return look
  }

  /// The user of a process; nil for a thread of the kernel and for a process that has ended.
  private static func user(of process: String) -> Substring? {
    let lines = ProcessFile.text("/proc/\(process)/status")?.split(separator: "\n") ?? []
    // The kernel's threads have no memory of their own.
    guard lines.contains(where: { $0.hasPrefix("VmSize:") }) else { return nil }
    let line = lines.first { $0.hasPrefix("Uid:") }
    return line?.split(separator: "\t").dropFirst().first
  }

  private mutating func add(_ number: Int32) {
    guard ProcessFile.text("/proc/\(number)/syscall") != nil else {
      guard !ProcessFile.hasEnded(number) else { return }
      unreadable += 1
      let error = lw_errno()
      refusal =
        refusal ?? String(capacity: 512) { lw_refusal_message(number, number, error, $0, $1) }
      return
    }
    var process = Process(command: Self.command(number))
    for name in ProcessFile.names(in: "/proc/\(number)/task") {
      guard let thread = Int32(name), let files = ThreadFiles(process: number, thread: thread),
        let usage = files.usage()
      else { continue }
      process.threads[thread] = Thread(running: usage.running, wait: files.currentCall()?.waitKind)
    }
    process.hasEpoll = !ProcessFile.epolls(of: number).isEmpty
    processes[number] = process
  }

  /// The command line with the name of the program instead of its path.
  private static func command(_ number: Int32) -> String {
    let words = ProcessFile.text("/proc/\(number)/cmdline")?.split(separator: "\0") ?? []
    guard let path = words.first else {
      return "[\(ProcessFile.line("/proc/\(number)/comm") ?? "")]"
    }
    // Programs that change their title, such as nginx, have no path there.
    let name = path.contains(" ") ? path : path.split(separator: "/").last ?? path
    return ([name] + words.dropFirst()).joined(separator: " ")
  }
}

extension SystemCall {
  /// `epoll`, `poll`, `select` or `io_uring` for a wait for events; nil for other calls.
  package var waitKind: String? {
    guard isWait else { return nil }
    return ["epoll", "select", "io_uring"].first(where: name.contains) ?? "poll"
  }
}

// MARK: - Text

extension LoopList {
  /// The list of now as lines.
  ///
  /// - Throws: `LoopbenchError` if `/proc` cannot be read, or the error of the loop.
  package static func lines(
    most: Int = .max,
    width: Int = .max,
    program: String
  ) throws -> [String] {
    guard let list = try read() else { throw LoopbenchError.unavailable("/proc cannot be read") }
    return list.lines(most: most, width: width, program: program)
  }

  /// The lines of the list.
  ///
  /// - Parameters:
  ///   - most: The number of programs to show.
  ///   - program: The command that the reader calls: `scripts/loopbench`.
  package func lines(most: Int = .max, width: Int = .max, program: String) -> [String] {
    let rest = programs.count - min(programs.count, most)
    let more = rest > 0 ? ["  and \(rest) more: \(program) watch --list"] : []
    return table(most).map { $0.clipped(to: width) } + more
      + (notShown + [hint(program)]).flatMap { $0.wrapped(to: width, indent: 2) }
  }

  private func table(_ most: Int) -> [String] {
    guard !programs.isEmpty else { return ["No program of this user waits in an event loop now."] }
    let title = "Programs that wait in an event loop now:"
    var table = TextTable(titles: ["pid", "loops", "wait", "CPU", "program"], left: [2, 4])
    for program in programs.prefix(most) {
      table.add([
        String(program.process), program.loops == 0 ? "" : String(program.loops),
        program.waits.joined(separator: ", "),
        Decimals.text(program.share * 100, digits: 0) + " %", program.command,
      ])
    }
    return [title] + table.lines(indent: "  ")
  }

  private var notShown: [String] {
    var lines: [String] = []
    if ofOthers > 0 { lines.append("\(ofOthers.grouped) of other users") }
    if unreadable > 0 {
      // One process that may not be read is no reason to change a setting.
      let reason = programs.isEmpty ? refusal.map { " (\($0))" } ?? "" : ""
      lines.append("\(unreadable.grouped) that may not be read\(reason)")
    }
    return lines.isEmpty ? [] : ["Processes not shown: " + lines.joined(separator: ", ")]
  }

  private func hint(_ program: String) -> String {
    guard let first = programs.first else {
      return "To start a program and watch it: \(program) watch -- COMMAND"
    }
    return "To see why one is late: \(program) watch --pid \(first.process)"
  }
}
