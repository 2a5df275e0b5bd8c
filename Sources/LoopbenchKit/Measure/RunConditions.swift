import LoopTransactions
private import CLoopbench

/// The scheduling policy, timer slack and background load of a run.
public struct RunConditions: Codable, Equatable, Sendable {
  /// The SCHED_FIFO priority of the threads that loopbench starts; `nil` for
  /// the default policy.
  public var priority: Int?
  /// How late the system may wake the generator, in ns.
  public var slackNs: UInt64
  /// The background load, as given on the command line: `cpu:2`.
  public var load: String

  /// Makes conditions.
  package init(priority: Int? = nil, slackNs: UInt64 = 1, load: String = BackgroundLoad.none.text) {
    self.priority = priority
    self.slackNs = slackNs
    self.load = load
  }

  /// The conditions of a run whose command line does not set any.
  package static let standard = RunConditions()

  /// The valid real-time priorities.
  package static let priorities = 1...99
}

extension RunConditions {
  /// The conditions that differ from the standard: "policy fifo:50", "load
  /// cpu:2".
  package var parts: [String] {
    [
      priority.map { "policy fifo:\($0)" },
      slackNs == Self.standard.slackNs ? nil : "timer slack \(TimeText.short(Double(slackNs)))",
      load == Self.standard.load ? nil : "load \(load)",
    ].compactMap { $0 }
  }
}

/// How often the producer of an open-loop series starts an operation.
public struct Pace: Codable, Equatable, Sendable {
  /// Operations per second.
  public let rate: Double
  /// The distribution of the times between operations.
  public let arrival: Arrival

  /// The distribution of the times between operations.
  public enum Arrival: String, Codable, CaseIterable, Sendable {
    /// All intervals are equal.
    case const
    /// Intervals are exponentially distributed, like the requests of many
    /// independent clients.
    case poisson
  }

  /// The valid rates.
  package static let rates: ClosedRange<Double> = 0.1...10_000_000

  /// Makes a pace.
  ///
  /// - Precondition: `rates` contains `rate`.
  package init(rate: Double, arrival: Arrival = .const) {
    require(Self.rates.contains(rate), "Pace: rate must be in \(Self.rates), got \(rate)")
    self.rate = rate
    self.arrival = arrival
  }

  /// The default: 1000 per second at equal intervals.
  package static let standard = Pace(rate: 1000)

  /// `1000/s const`.
  package var text: String { "\(Decimals.exact(rate))/s \(arrival.rawValue)" }
}

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
