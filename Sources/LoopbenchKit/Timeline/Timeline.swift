/// The events of a trace file: spans, marks, arrows and counters on one time axis,
/// in ns.
package struct Timeline: Equatable, Sendable {
  /// Grouped by process, in the order of the file.
  package internal(set) var threads: [Thread] = []
  package internal(set) var counters: [Counter] = []
  package internal(set) var arrows: [Arrow] = []
  /// The different names and categories of spans.
  package internal(set) var kinds: [Kind] = []
  /// The number of events that newer ones overwrote while the trace ran.
  package internal(set) var overwrittenEvents = 0
  /// Whether the process had more threads than the trace.
  package internal(set) var lacksThreads = false

  /// The name and category of spans.
  package struct Kind: Hashable, Sendable {
    package let name: String
    package let category: String
  }

  package struct Span: Equatable, Sendable {
    package let start: Int
    package internal(set) var end: Int
    /// The number of spans that contain it.
    package internal(set) var depth: Int
    /// The index in `Timeline.kinds`.
    package let kind: Int
    /// The index of the innermost span that contains it. Nil at depth 0.
    package internal(set) var parent: Int?

    package var duration: Int { end - start }
  }

  package struct Mark: Encodable, Equatable, Sendable {
    package let time: Int
    package let name: String
  }

  package struct Thread: Equatable, Sendable {
    package internal(set) var name: String
    package internal(set) var process: String
    /// Ordered by start. A span precedes those that it contains.
    package internal(set) var spans: [Span] = []
    package internal(set) var marks: [Mark] = []
  }

  /// Connects the cause of work with the work.
  package struct Arrow: Equatable, Sendable {
    /// From the cause to the work.
    package internal(set) var points: [Point] = []

    package struct Point: Equatable, Sendable {
      /// The index in `Timeline.threads`.
      package let thread: Int
      package let time: Int
      /// The index of the innermost span at this time, if known.
      package let span: Int?
    }
  }

  /// Numbers that change over time.
  package struct Counter: Encodable, Equatable, Sendable {
    package internal(set) var name: String
    package internal(set) var process: String
    package internal(set) var times: [Int] = []
    /// The values at `times`, by name.
    package internal(set) var series: [String: [Double]] = [:]
  }

  package init() {}

  /// Whether there is nothing to draw.
  package var isEmpty: Bool {
    counters.isEmpty && threads.allSatisfy { $0.spans.isEmpty && $0.marks.isEmpty }
  }

  package var spanCount: Int { threads.reduce(0) { $0 + $1.spans.count } }

  /// The times of the first and the last event. Nil if there is none.
  package var bounds: ClosedRange<Int>? {
    let starts = threads.compactMap { $0.spans.first?.start }
    let ends = threads.compactMap { $0.spans.lazy.map(\.end).max() }
    let marks = threads.flatMap { $0.marks.map(\.time) }
    let times = starts + ends + marks + counters.flatMap(\.times)
    guard let first = times.min(), let last = times.max() else { return nil }
    return first...last
  }
}
