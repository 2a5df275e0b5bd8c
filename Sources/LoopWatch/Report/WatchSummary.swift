package import LoopbenchKit

/// A hold that lasted longer than the threshold, with everything that is known of it.
package struct LateHold: Sendable {
  package var hold: Hold
  package var parts: HoldParts
  /// The name of the loop's thread.
  package var thread: String
  package var process: Int32
  /// The stacks that were captured during the hold; empty if it ended too soon.
  package var captures: [Capture] = []
  /// The wait of a blocked thread, in words.
  package var reason: String?
  /// The quota that throttled the thread, in words.
  package var quota: String?
  /// True if the hold goes on.
  package var isOpen = false

  package init(hold: Hold, parts: HoldParts, thread: String = "", process: Int32 = 0) {
    (self.hold, self.parts, self.thread, self.process) = (hold, parts, thread, process)
  }

  /// The captures that show the hold during one cause; all captures if none does.
  package func captures(of cause: Cause) -> [Capture] {
    let state: Observation.State = cause == .blocked ? .blocked : .runnable
    let same = captures.filter { $0.state == state }
    return same.isEmpty ? captures : same
  }

  /// The functions to blame for one cause of the hold; nil if no stack was captured.
  package func culprit(of cause: Cause) -> Culprit? {
    Culprit(of: captures(of: cause).map(\.stack))
  }

  /// The description of one cause of the hold.
  ///
  /// - Parameter isGroup: Whether to leave out the depths of recursions, so that holds
  ///   of one function have one description.
  package func description(of cause: Cause, isGroup: Bool = false) -> String {
    var names: String? { culprit(of: cause).map { isGroup ? $0.group : $0.description } }
    return switch cause {
    case .running:
      names ?? (captures.isEmpty ? "no stack was captured" : "functions without names")
    case .waiting: ""
    case .throttled: quota ?? "by the quota of its control group"
    case .stolen: "by the hypervisor, an estimate"
    case .blocked:
      [reason ?? "a system call", names].compactMap(\.self)
        .joined(separator: " in ")
    case .stopped: "by a signal or a debugger"
    case .unexplained: ""
    }
  }
}

/// The late holds of a watch, grouped by cause and culprit.
package struct WatchSummary: Sendable {
  /// One line: a cause and its description.
  package struct Row: Sendable {
    package let cause: Cause
    /// The description of the longest hold with this cause.
    package fileprivate(set) var description = ""
    /// The name of the loop's thread.
    package let thread: String
    /// The time of all holds that this cause accounts for, in ns.
    package fileprivate(set) var time: UInt64 = 0
    /// The number of holds of which this was the main cause.
    package fileprivate(set) var count = 0
    /// The longest of these holds, in ns.
    package fileprivate(set) var worst: UInt64 = 0
    /// The length of the longest of these holds that goes on; 0 if there is none.
    package fileprivate(set) var open: UInt64 = 0
    /// The events that the waits before these holds returned.
    package fileprivate(set) var events = 0
    /// A stack of the longest hold with this cause that has one, innermost function
    /// first.
    package fileprivate(set) var stack: [StackFrame] = []
    private var longest: UInt64 = 0
    private var stackTime: UInt64 = 0

    fileprivate init(_ cause: Cause, thread: String) { (self.cause, self.thread) = (cause, thread) }
  }

  private struct Key: Hashable {
    let cause: Cause
    let group: String
    let thread: String
  }

  /// A hold longer than this is late, in ns.
  package let threshold: UInt64
  /// The ticks of all loops.
  package var ticks: UInt64 = 0
  /// The waits that were overwritten before they were read.
  package var lost: UInt64 = 0
  /// The lengths of all holds, late or not. `add` records those of late holds.
  package var lengths = Histogram()
  /// The length of the watch, in ns.
  package var length: UInt64 = 0
  package private(set) var count = 0
  package private(set) var total: UInt64 = 0
  package private(set) var worst: UInt64 = 0
  /// The processes that used the CPUs, in words.
  package var neighbours = ""
  /// A hold that is not counted, because the thread may have no loop, in words.
  package var possibleHold: String?
  /// How to name the functions of late holds that have no names.
  package private(set) var nameHints: Set<NameHint> = []
  private var rows: [Key: Row] = [:]

  package init(threshold: UInt64) { self.threshold = threshold }

  package mutating func add(_ late: LateHold) {
    count += 1
    total += late.hold.length
    lengths.record(nanoseconds: Double(late.hold.length))
    worst = max(worst, late.hold.length)
    let main = late.parts.main
    if nameHints.count < 4, let hint = NameHint(late.captures.map(\.stack)) {
      nameHints.insert(hint)
    }
    for cause in Cause.allCases where late.parts[cause] > 0 || cause == main {
      let key = Key(
        cause: cause,
        group: late.description(of: cause, isGroup: true),
        thread: late.thread
      )
      var row = rows[key] ?? Row(cause, thread: late.thread)
      row.time += late.parts[cause]
      if cause == main {
        row.count += 1
        row.worst = max(row.worst, late.hold.length)
        if late.isOpen { row.open = max(row.open, late.hold.length) }
        row.events += late.hold.events
      }
      row.keepLongest(late)
      rows[key] = row
    }
    if rows.count > Self.mostRows { joinRows() }
  }

  /// The rows, longest time first. Unexplained time comes last. Rows below 1 % of the
  /// time that are no hold's main cause are left out.
  package var sortedRows: [Row] {
    let known = rows.values.filter { $0.count > 0 || $0.time * 100 >= total }
    return known.sorted {
      let (one, other) = ($0.cause == .unexplained, $1.cause == .unexplained)
      return one == other ? ($0.time, $0.description) > ($1.time, $1.description) : other
    }
  }

  /// The number of rows that are kept: a watch may last for weeks.
  package static let mostRows = 2000

  /// Joins the half of the rows with the shortest times, by cause and thread.
  private mutating func joinRows() {
    let order = rows.sorted { ($0.value.time, $1.key.group) > ($1.value.time, $0.key.group) }
    rows = Dictionary(uniqueKeysWithValues: order.prefix(Self.mostRows / 2).map { ($0, $1) })
    for (key, row) in order.dropFirst(Self.mostRows / 2) {
      let joined = Key(cause: key.cause, group: Self.otherFunctions, thread: key.thread)
      rows[joined, default: Row(key.cause, thread: key.thread)].join(row)
    }
  }

  fileprivate static let otherFunctions = "other functions"
}

extension WatchSummary.Row {
  fileprivate mutating func join(_ other: WatchSummary.Row) {
    description = WatchSummary.otherFunctions
    time += other.time
    count += other.count
    worst = max(worst, other.worst)
    open = max(open, other.open)
    events += other.events
  }

  fileprivate mutating func keepLongest(_ late: LateHold) {
    let time = late.parts[cause]
    if description.isEmpty || time > longest {
      (description, longest) = (late.description(of: cause), time)
    }
    guard time > stackTime, !late.captures.isEmpty else { return }
    stack = late.captures[late.captures.count / 2].stack
    stackTime = time
  }
}
