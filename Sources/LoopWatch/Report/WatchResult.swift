import LoopTransactions
import LoopbenchKit

/// The result of a watch, from which its files are written.
package struct WatchResult: Sendable {
  package var summary: WatchSummary
  /// The last late holds, oldest first.
  package var holds: [LateHold]
  /// The program and its arguments.
  package var program = ""
  package var process: Int32 = 0
  /// The start of the watch, in ns of the monotonic clock.
  package var began: UInt64 = 0
  /// The time of the day at which the monotonic clock was 0, in ns since 1970.
  package var timeOrigin: UInt64 = 0
  /// True if waits were sampled and not recorded.
  package var isSampled = false
  /// The load of the busiest loop.
  package var load = WatchLoad()

  package init(summary: WatchSummary, holds: [LateHold]) {
    (self.summary, self.holds) = (summary, holds)
  }

  /// The captured stacks, one line each: functions from the outermost to the
  /// innermost, and the number of captures.
  package func folded() -> String {
    func word(_ name: String) -> String { name.escaped(with: [";": ":"]).escapingControls() }
    var (counts, words) = ([String: Int](), [StackFrame: String]())
    for hold in holds {
      for capture in hold.captures {
        var line = word(hold.thread)
        for frame in capture.stack.reversed() {
          let name = words[frame] ?? word(frame.description)
          words[frame] = name
          line += ";" + name
        }
        counts[line, default: 0] += 1
      }
    }
    return counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)\n" }.joined()
  }
}

/// The files that a watch can write.
package enum WatchOutput: String, CaseIterable, Sendable {
  case json, html, trace, folded, load

  package var option: String { "--" + rawValue }

  package func text(of result: WatchResult) -> String {
    switch self {
    case .json: WatchDocument(result).json()
    case .html: WatchPage(result).html()
    case .trace: result.trace()
    case .folded: result.folded()
    case .load: result.load.text(program: result.program)
    }
  }
}

extension WatchResult {
  /// The late holds as a trace, for `loopbench trace` and Perfetto. Each loop is a thread,
  /// and each hold is a span with the name of its culprit and the category of its cause.
  package func trace() -> String {
    var (trace, threads) = (TraceFile(origin: began), [[String]: Int]())
    trace.setName(program, ofProcess: Int(process))
    for late in holds {
      let loop = ["\(late.process)", late.thread]
      let thread = threads[loop] ?? threads.count + 1
      if threads.updateValue(thread, forKey: loop) == nil {
        if late.process != process {
          trace.setName("process \(late.process)", ofProcess: Int(late.process))
        }
        trace.setName(late.thread, ofProcess: Int(late.process), thread: thread)
      }
      let main = late.parts.main
      trace.add(
        late.culprit(of: main)?.description ?? main.rawValue,
        category: main.rawValue,
        process: Int(late.process),
        thread: thread,
        from: late.hold.began,
        to: late.hold.ended,
        arguments: late.facts
      )
    }
    return trace.render()
  }
}

extension LateHold {
  /// The facts that a viewer shows beside the hold.
  fileprivate var facts: [String: String] {
    var facts = ["events": "\(hold.events)", "reason": reason]
    for cause in Cause.allCases where parts[cause] > 0 {
      facts[cause.rawValue] = TimeText.duration(parts[cause])
    }
    if !captures.isEmpty {
      let stack = captures[captures.count / 2].stack
      facts["stack"] = stack.map(\.description).folded.joined(separator: " < ")
    }
    return facts.compactMapValues(\.self)
  }
}

/// The document that `--json` writes: schema `loopbench-watch/1`. Names follow the
/// browser's Long Animation Frames where they fit. Times are in ms.
package struct WatchDocument: Encodable {
  private let schema = "loopbench-watch/1"
  private let program: String
  private let process: Int32
  private let timeOrigin: Double
  private let startTime: Double
  private let duration: Double
  private let threshold: Double
  private let isSampled: Bool
  private let ticks: UInt64
  private let lostTicks: UInt64
  private let lateCount: Int
  private let lateDuration: Double
  private let holdDurations: Distribution
  private let culprits: [Row]
  private let holds: [Hold]

  /// The JSON Schema (draft 2020-12) of the document.
  package static var schema: String {
    String(decoding: PackageResources.loopbench_watch_1_schema_json, as: UTF8.self)
  }

  package init(_ result: WatchResult) {
    let summary = result.summary
    (program, process, isSampled) = (result.program, result.process, result.isSampled)
    (timeOrigin, startTime) = (ms(result.timeOrigin), ms(result.began))
    (duration, threshold) = (ms(summary.length), ms(summary.threshold))
    (ticks, lostTicks, lateCount) = (summary.ticks, summary.lost, summary.count)
    lateDuration = ms(summary.total)
    holdDurations = Distribution(summary.lengths)
    culprits = summary.sortedRows.map { Row($0, summary) }
    holds = result.holds.map { Hold($0, threshold: summary.threshold) }
  }

}

// Nanoseconds are kept, so that the parts of a hold sum to its length.
private func ms(_ nanoseconds: UInt64) -> Double { Double(nanoseconds) / 1_000_000 }

extension WatchDocument {
  private struct Distribution: Encodable {
    let count: UInt64
    let p50: Double
    let p99: Double
    let max: Double

    init(_ lengths: Histogram) {
      count = lengths.count
      (p50, p99) = (lengths.value(at: .p50) / 1_000_000, lengths.value(at: .p99) / 1_000_000)
      max = lengths.max / 1_000_000
    }
  }

  private struct Row: Encodable {
    let cause: String
    let description: String
    let thread: String
    let duration: Double
    let count: Int
    let worst: Double

    init(_ row: WatchSummary.Row, _ summary: WatchSummary) {
      (cause, thread, count) = (row.cause.rawValue, row.thread, row.count)
      description = summary.description(of: row)
      (duration, worst) = (ms(row.time), ms(row.worst))
    }
  }

  private struct Hold: Encodable {
    let startTime: Double
    let duration: Double
    let blockingDuration: Double
    let process: Int32
    let thread: String
    let events: Int
    let cause: String
    let causes: [String: Double]
    let reason: String?
    let culprit: [String]
    let isGarbageCollection: Bool
    let stacks: [Stack]

    init(_ late: LateHold, threshold: UInt64) {
      (startTime, duration) = (ms(late.hold.began), ms(late.hold.length))
      blockingDuration = ms(late.hold.length.since(threshold))
      (process, thread, events) = (late.process, late.thread, late.hold.events)
      let (main, parts) = (late.parts.main, late.parts)
      cause = main.rawValue
      causes = Dictionary(
        uniqueKeysWithValues: Cause.allCases.filter { parts[$0] > 0 }
          .map { ($0.rawValue, ms(parts[$0])) }
      )
      reason = late.reason
      let culprit = late.culprit(of: main)
      (self.culprit, isGarbageCollection) = (
        culprit?.path.folded ?? [], culprit?.isCollecting ?? false
      )
      stacks = Stack.all(in: late.captures)
    }
  }

  private struct Stack: Encodable {
    let state: String
    private(set) var count = 1
    let frames: [String]

    /// The different stacks, in the order of their first captures.
    static func all(in captures: [Capture]) -> [Stack] {
      var indices: [Capture: Int] = [:]
      return captures.reduce(into: []) { stacks, capture in
        if let index = indices[capture] {
          stacks[index].count += 1
        } else {
          indices[capture] = stacks.count
          stacks.append(Stack(capture))
        }
      }
    }

    private init(_ capture: Capture) {
      state =
        switch capture.state {
        case .runnable: "runnable"
        case .blocked: "blocked"
        case .stopped: "stopped"
        }
      frames = capture.stack.map(\.description).folded
    }
  }
}
