import LoopbenchKit

extension Watcher {
  /// The summary, with notes about the watch itself.
  package var report: String {
    var text = summary.text(width: Terminal.error.knownWidth ?? .max)
    if !hasEverFoundLoop {
      text =
        "no loop was found: no thread waited with epoll, poll or select through the C library\n"
    }
    if isSampled {
      text +=
        "note: sampled every \(TimeText.duration(period)); "
        + "a loop that is busy for long looks late\n"
    }
    if others.count > 0 {
      text +=
        "note: \(others.count) of its children waited for events, too; watch them by --follow\n"
    }
    if let stackError { text += "note: \(stackError)\n" }
    return text + cost
  }

  /// `cost: 0.8 % of a CPU; 41 stops of 19 us, longest 48 us`.
  private var cost: String {
    let share = Double(ownTime) / Double(max(summary.length, 1)) * 100
    let stops = self.stops
    let text = "cost: \(Decimals.text(share, digits: 1)) % of a CPU"
    guard stops.count > 0 else { return text + "\n" }
    let mean = TimeText.duration(stops.total / UInt64(stops.count))
    return text + "; \(stops.count.grouped) stops of \(mean), longest "
      + "\(TimeText.duration(stops.longest))\n"
  }

  private var hasEverFoundLoop: Bool { summary.ticks > 0 || hasLoop }

  /// The captured stacks, one line each: functions from the outermost to the
  /// innermost, and the number of captures.
  package func folded() -> String {
    var counts: [String: Int] = [:]
    for hold in holds {
      for capture in hold.captures {
        let names = capture.stack.reversed().map { $0.description.replacing(";", with: ":") }
        counts[([hold.thread] + names).joined(separator: ";"), default: 0] += 1
      }
    }
    return counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)\n" }.joined()
  }

  /// The late holds as JSON.
  package func json() -> String {
    WatchDocument(summary, holds).json()
  }
}

extension LateHold {
  /// One line about the hold, for `--each`.
  package var line: String {
    let main = parts.main
    let rest = Cause.allCases.filter { $0 != main && parts[$0] * 10 >= hold.length }
      .map { "\($0.rawValue) \(TimeText.duration(parts[$0]))" }
    let others = rest.isEmpty ? "" : " (" + rest.joined(separator: ", ") + ")"
    return "late \(TimeText.duration(hold.length))  \(main.rawValue)  "
      + "\(description(of: main))\(others)".printable.trimmingEnd + "\n"
  }
}

/// The schema of `--json`. Names follow the browser's Long Animation Frames where they
/// fit. Times are in ms.
private struct WatchDocument: Encodable {
  let schema = "loopbench-watch-1"
  let threshold: Double
  let duration: Double
  let ticks: UInt64
  let lateCount: Int
  let lateDuration: Double
  let holds: [Hold]

  struct Hold: Encodable {
    let startTime: Double
    let duration: Double
    let thread: String
    let process: Int32
    let causes: [String: Double]
    let reason: String?
    let culprit: [String]?
    let stacks: [[String]]
  }

  init(_ summary: WatchSummary, _ holds: [LateHold]) {
    threshold = Self.ms(summary.threshold)
    duration = Self.ms(summary.length)
    (ticks, lateCount) = (summary.ticks, summary.count)
    lateDuration = Self.ms(summary.total)
    self.holds = holds.map { late in
      Hold(
        startTime: Self.ms(late.hold.began),
        duration: Self.ms(late.hold.length),
        thread: late.thread,
        process: late.process,
        causes: Dictionary(
          uniqueKeysWithValues: Cause.allCases.filter { late.parts[$0] > 0 }
            .map { ($0.rawValue, Self.ms(late.parts[$0])) }
        ),
        reason: late.reason,
        culprit: late.culprit(of: late.parts.main)?.path,
        stacks: late.captures.map { $0.stack.map(\.description) }
      )
    }
  }

  private static func ms(_ nanoseconds: UInt64) -> Double { Double(nanoseconds / 1000) / 1000 }
}
