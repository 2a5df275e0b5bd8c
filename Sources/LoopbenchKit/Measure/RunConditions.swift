private import CLoopbench

/// What a run asked of the machine beside its default: who runs first, how exact
/// sleeps are, and what competes.
public struct RunConditions: Codable, Equatable, Sendable {
  /// The real-time priority of the threads that loopbench starts, first come,
  /// first served; `nil` for the ordinary policy.
  public var priority: Int?
  /// How much later than asked the system may wake the generator, in ns.
  public var slackNs: UInt64
  /// What runs beside it, as it was written: `cpu:2`.
  public var load: String

  /// Makes conditions.
  package init(priority: Int? = nil, slackNs: UInt64 = 1, load: String = BackgroundLoad.none.text) {
    self.priority = priority
    self.slackNs = slackNs
    self.load = load
  }

  /// Those of a run that asks for nothing.
  package static let standard = RunConditions()

  /// The real-time priorities there are.
  package static let priorities = 1...99
}

extension RunConditions {
  /// What is not standard, for people: "policy fifo:50 · load cpu:2".
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
  /// How the times between them are spread.
  public let arrival: Arrival

  /// How the times between operations are spread.
  public enum Arrival: String, Codable, CaseIterable, Sendable {
    /// All alike.
    case const
    /// Exponentially, as those of many who know nothing of each other.
    case poisson
  }

  /// The rates that a schedule can be made for.
  package static let rates: ClosedRange<Double> = 0.1...10_000_000

  /// Makes a pace.
  ///
  /// - Precondition: `rates` contains `rate`.
  package init(rate: Double, arrival: Arrival = .const) {
    precondition(Self.rates.contains(rate), "Pace: rate must be in \(Self.rates), got \(rate)")
    self.rate = rate
    self.arrival = arrival
  }

  /// What `paced` has unless told otherwise: 1000 a second, evenly.
  package static let standard = Pace(rate: 1000)

  /// `1000/s const`.
  package var text: String { "\(Decimals.exact(rate))/s \(arrival.rawValue)" }
}

/// What runs beside a measurement, to see what it does to it.
package enum BackgroundLoad: Equatable, Sendable {
  /// Nothing.
  case none
  /// So many processes that compute.
  case cpu(Int)
  /// So many processes that write memory, 64 MB over and over.
  case memory(Int)
  /// A command of the shell.
  case command(String)

  /// How many processes there may be.
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

  /// As it is written.
  package var text: String {
    switch self {
    case .none: "none"
    case .cpu(let count): "cpu:\(count)"
    case .memory(let count): "mem:\(count)"
    case .command(let command): "cmd:\(command)"
    }
  }

  /// The commands of the shell that make it.
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

/// A background load that runs, in processes of its own, until it is stopped.
///
/// ```swift
/// let load = try RunningLoad(.cpu(2))
/// let measurements = try runner.run()
/// let ended = load.stop()
/// ```
package final class RunningLoad {
  private let load: BackgroundLoad
  /// Those that run; `stop` empties it.
  package private(set) var processes: [Int32] = []

  /// Starts it.
  ///
  /// - Throws: What the system says when it starts no process.
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

  /// Ends it, with all that it started.
  ///
  /// - Returns: What to say of a load that had ended before; `nil` of one that
  ///   ran to the last.
  package func stop() -> Warning? {
    let statuses = processes.map(cl_load_stop)
    processes = []
    return statuses.first { $0 >= 0 }.map { .loadEnded(load.text, status: Int($0)) }
  }
}
