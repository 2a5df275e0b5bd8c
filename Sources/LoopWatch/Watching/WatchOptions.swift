package import LoopbenchKit

/// The options of `loopbench watch`.
package struct WatchOptions: Sendable {
  /// In ns.
  package var threshold: UInt64 = 20_000_000
  /// In ns; nil until the program ends.
  package var length: UInt64?
  /// The process to watch; nil if a program is started.
  package var process: Int32?
  /// The program and its arguments.
  package var command: [String] = []
  /// Whether to list the programs that wait in a loop, instead of a watch.
  package var isListing = false
  package var isEach = false
  package var isFollowing = false
  /// The files to write, with their paths.
  package var outputs: [(output: WatchOutput, path: String)] = []
  package var rules: [LateRule] = []
  /// The age of the oldest late hold in the files of a flight recorder, in ns; nil if the
  /// files are written at the end.
  package var recordedSpan: UInt64?
  package var isHelp = false
  package var isSchema = false

  package init() {}

  /// Parses the arguments after the command's name.
  package init(_ arguments: [String]) throws(LoopbenchError) {
    var rest = arguments[...]
    while let word = rest.popFirst() {
      guard word.hasPrefix("-"), word != "-" else {
        command = [word] + rest
        return
      }
      if word == "--" {
        command = Array(rest)
        return
      }
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let isLong = word.hasPrefix("--")
      let name = isLong ? String(parts[0]) : String(word.prefix(2))
      var value = isLong && parts.count > 1 ? String(parts[1]) : nil
      if !isLong, word.count > 2 { value = String(word.dropFirst(2)) }
      try set(name, value, &rest)
    }
  }

  private mutating func set(
    _ name: String,
    _ value: String?,
    _ rest: inout ArraySlice<String>
  ) throws(LoopbenchError) {
    func needed(_ placeholder: String) throws(LoopbenchError) -> String {
      guard let value = value ?? rest.popFirst() else {
        throw .usage("\(name) needs a value: \(name) \(placeholder)")
      }
      return value
    }
    switch name {
    case "-h", "--help": isHelp = true
    case "--threshold": threshold = try Self.time(name, needed("20ms"))
    case "-d", "--duration": length = try Self.time(name, needed("30s"))
    case "-p", "--pid": process = try Self.process(needed("PID"))
    case "--list": isListing = true
    case "--each": isEach = true
    case "--follow": isFollowing = true
    case "--schema": isSchema = true
    case "--record": recordedSpan = try Self.time(name, needed("5min"), least: 1_000_000_000)
    case "--fail": rules.append(try LateRule(needed("'late>100ms'")))
    default:
      guard let output = WatchOutput.allCases.first(where: { $0.option == name }) else {
        throw .unknown("option", name, among: Self.names)
      }
      let path = try needed("FILE")
      if let other = outputs.first(where: { $0.path == path && !path.hasPrefix("/dev/") }) {
        throw .usage("\(other.output.option) and \(name) need different files, got \"\(path)\"")
      }
      outputs.append((output, path))
    }
  }

  private static let names =
    [
      "--threshold", "--duration", "--pid", "--each", "--follow", "--fail", "--record", "--schema",
      "--list", "--help",
    ]
    + WatchOutput.allCases.map(\.option)

  private static func process(_ text: String) throws(LoopbenchError) -> Int32 {
    guard let process = Int32(text), process > 0 else {
      throw .usage("--pid needs the number of a process, got \"\(text)\"")
    }
    return process
  }

  private static func time(
    _ name: String,
    _ text: String,
    least: UInt64 = 1_000_000
  ) throws(LoopbenchError) -> UInt64 {
    guard let time = TimeText.nanoseconds(in: text), time >= Double(least) else {
      let form = least == 1_000_000 ? "1ms, such as 20ms or 30s" : "1s, such as 30s or 5min"
      throw .usage("\(name) needs a time of at least \(form), got \"\(text)\"")
    }
    // 30 years. Sums of such times fit in a UInt64.
    guard time < 1e18 else { throw .usage("\(name) needs a shorter time, got \"\(text)\"") }
    return UInt64(time)
  }

  /// The flight recorder of the options; nil if they have none.
  package func recorder() throws(LoopbenchError) -> FlightRecorder? {
    guard let recordedSpan else { return nil }
    guard rules.contains(where: \.limitsHolds) else {
      throw .usage("--record needs a limit of holds: --fail 'worst>100ms' or --fail 'late>1s'")
    }
    guard !outputs.isEmpty else {
      let files = WatchOutput.allCases.map { "\($0.option) FILE" }.joined(separator: ", ")
      throw .usage("--record needs a file to write: \(files)")
    }
    return FlightRecorder(span: recordedSpan, rules: rules)
  }
}

/// A limit of a watch: `late>1s`, `worst>100ms` or `p99>50ms`.
package struct LateRule: Equatable, Sendable {
  package enum Metric: Equatable, Sendable {
    /// The time of all late holds.
    case late
    /// A percentile of the lengths of all holds. `worst` is the longest.
    case length(Percentile)
  }

  package let text: String
  package let metric: Metric
  /// In ns.
  package let limit: UInt64

  package init(_ text: String) throws(LoopbenchError) {
    let sides = text.filter { $0 != " " }.split(separator: ">", omittingEmptySubsequences: false)
    guard
      sides.count == 2, let metric = Self.metric(sides[0]),
      let limit = TimeText.nanoseconds(in: sides[1]), limit < 1e18
    else {
      throw .usage(
        "\"\(text)\" is not a limit: expected late>TIME, worst>TIME or a percentile, as in p99>50ms"
      )
    }
    (self.text, self.metric, self.limit) = (text, metric, UInt64(limit))
  }

  private static func metric(_ text: Substring) -> Metric? {
    switch text {
    case "late": .late
    case "worst": .length(.max)
    default: text.hasPrefix("p") ? Percentile(String(text)).map { .length($0) } : nil
    }
  }

  /// The value that the rule limits, in ns.
  package func value(in summary: WatchSummary) -> UInt64 {
    switch metric {
    case .late: summary.total
    case .length(let percentile): UInt64(summary.lengths.value(at: percentile))
    }
  }

  /// True if the watch exceeded the limit.
  package func isExceeded(by summary: WatchSummary) -> Bool { value(in: summary) > limit }
}

/// The help of `loopbench watch`.
enum WatchHelp {
  static let text = """
    usage: loopbench watch [OPTIONS] -- COMMAND [ARGUMENT…]
           loopbench watch [OPTIONS] --pid PID
           loopbench watch --list

    Finds the event loops of a program, and reports why they were late. A loop is late
    while it runs callbacks for longer than the threshold without waiting for events.

      -p, --pid PID      watch a process that runs, by samples of its waits: ticks
                         that are shorter than the threshold / 10 are not seen
      --list             list the programs of this user that wait in a loop now
      --threshold TIME   a longer callback is late (20ms)
      -d, --duration TIME
                         end after this time; a program that was started is ended
                         by SIGTERM
      --each             print each late hold when it ends
      --follow           watch the program's children, too
      --fail RULE        exit with 3 if late>TIME, worst>TIME or p99>TIME
      --record TIME      keep the late holds of this time, and write the files when a
                         limit of --fail is exceeded, and not at the end
      --json FILE        write the summary and the last 10,000 late holds as JSON
      --schema           print the schema of the JSON
      --html FILE        write a page with the late holds over time and flame graphs
      --trace FILE       write the late holds for loopbench trace and ui.perfetto.dev
      --folded FILE      write the captured stacks for a flame graph
      --load FILE        write the events of the busiest loop for loopbench replay
      -h, --help         show this help

    Needs libdw (Debian: libdw1) to name functions. Exits with the program's code.

    """
}
