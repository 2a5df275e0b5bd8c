private import CLoopbench

/// A load that runs during a measurement.
package enum BackgroundLoad: Equatable, Sendable {
  /// No load.
  case none
  /// This number of busy processes.
  case cpu(Int)
  /// This number of processes that repeatedly write 64 MB of memory.
  case memory(Int)
  /// A shell command.
  case command(String)

  /// The valid numbers of processes.
  package static let counts = 1...64

  /// Reads `none`, `cpu:2`, `mem:1` or `cmd:make -j2`; `nil` for anything else.
  package init?(_ text: String) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let value = parts.count > 1 ? String(parts[1]) : ""
    let count = Int(value).flatMap { Self.counts.contains($0) ? $0 : nil }
    switch (parts[0], count) {
    case ("none", _) where parts.count == 1: self = .none
    case ("cpu", let count?): self = .cpu(count)
    case ("mem", let count?): self = .memory(count)
    case ("cmd", _) where !value.isEmpty: self = .command(value)
    default: return nil
    }
  }

  /// The line of a report about the load: "load cpu:2". Empty if there is none.
  package var parts: [String] { self == .none ? [] : ["load \(text)"] }

  /// The load as written on the command line.
  package var text: String {
    switch self {
    case .none: "none"
    case .cpu(let count): "cpu:\(count)"
    case .memory(let count): "mem:\(count)"
    case .command(let command): "cmd:\(command)"
    }
  }

  /// The shell command of each process.
  package var commands: [String] {
    switch self {
    case .none: []
    case .cpu(let count): Array(repeating: "while :; do :; done", count: count)
    case .memory(let count): Array(repeating: Self.memoryCommand, count: count)
    case .command(let command): [command]
    }
  }

  private static let memoryCommand =
    "while :; do dd if=/dev/zero of=/dev/null bs=64M count=16; done"
}

/// A running background load. It consists of separate processes and runs until it is
/// stopped.
///
/// ```swift
/// let load = try RunningLoad(.cpu(2))
/// let measurements = try runner.run()
/// let ended = load.stop()
/// ```
package final class RunningLoad {
  private let load: BackgroundLoad
  /// The running processes. `stop()` empties this list.
  package private(set) var processes: [Int32] = []

  /// Starts the processes of `load`.
  ///
  /// - Throws: The system's error if a process cannot be started.
  package init(_ load: BackgroundLoad) throws(SystemError) {
    self.load = load
    for command in load.commands {
      let process = cl_load_start(command)
      guard process > 0 else {
        _ = stop()
        throw SystemError(code: process)
      }
      processes.append(process)
    }
  }

  deinit {
    _ = stop()
  }

  /// Ends the load and all processes that it started.
  ///
  /// - Returns: A warning if the load had ended before this call; otherwise `nil`.
  package func stop() -> Warning? {
    let statuses = processes.map(cl_load_stop)
    processes = []
    return statuses.first { $0 >= 0 }.map { .loadEnded(load.text, status: Int($0)) }
  }
}
