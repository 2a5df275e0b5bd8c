/// The longest ticks of a timeline, and its work by total time.
package struct TimelineFindings: Equatable, Sendable {
  /// A span of a thread.
  package struct Place: Equatable, Sendable {
    /// The index in `Timeline.threads`.
    package let thread: Int
    /// The index in the spans of the thread.
    package let span: Int
  }

  package struct Tick: Equatable, Sendable {
    package let place: Place
    package let duration: Int
    /// The piece of work with the longest own time. Nil if there is none.
    package let culprit: Place?
    /// The own time of the culprit in ns.
    package let culpritTime: Int
  }

  /// The pieces of work with one name and category.
  package struct Work: Equatable, Sendable {
    /// The index in `Timeline.kinds`.
    package let kind: Int
    package fileprivate(set) var count = 0
    /// The sum of the own times in ns.
    package fileprivate(set) var total = 0
    /// The longest own time in ns.
    package fileprivate(set) var longest = 0
    /// The piece with the longest own time.
    package fileprivate(set) var place: Place
  }

  /// Whether the trace has ticks. Otherwise `ticks` has spans that no other span
  /// contains.
  package let hasTicks: Bool
  package let tickCount: Int
  /// Ordered by duration, longest first.
  package private(set) var ticks: [Tick] = []
  /// Ordered by total, longest first.
  package private(set) var work: [Work] = []

  private let timeline: Timeline

  package init(_ timeline: Timeline) {
    self.timeline = timeline
    let names = timeline.kinds.indices.filter { timeline.kinds[$0].name == Self.tick }
    let tickKinds = Set(names)
    hasTicks = !tickKinds.isEmpty
    tickCount = timeline.threads.reduce(0) { sum, thread in
      sum + thread.spans.count { tickKinds.contains($0.kind) }
    }
    var works: [Int: Work] = [:]
    for index in timeline.threads.indices { add(index, tickKinds, to: &works) }
    ticks.sort { ($1.duration, $0.place.thread) < ($0.duration, $1.place.thread) }
    work = works.values.sorted { ($1.total, $0.kind) < ($0.total, $1.kind) }
  }

  private static let tick = "tick"

  private mutating func add(_ thread: Int, _ tickKinds: Set<Int>, to works: inout [Int: Work]) {
    let spans = timeline.threads[thread].spans
    var own = spans.map(\.duration)
    for span in spans {
      if let parent = span.parent { own[parent] -= span.duration }
    }
    // The innermost tick of each span, and the longest piece of each tick.
    var ticks = [Int?](repeating: nil, count: spans.count)
    var longest: [Int: Int] = [:]
    for (index, span) in spans.enumerated() {
      let isTick = hasTicks ? tickKinds.contains(span.kind) : span.depth == 0 && !isArrow(span)
      ticks[index] = isTick ? index : span.parent.flatMap { ticks[$0] }
      if isTick { longest[index] = index }
      guard isWork(span, tickKinds) else { continue }
      let place = Place(thread: thread, span: index)
      var work = works[span.kind] ?? Work(kind: span.kind, place: place)
      work.count += 1
      work.total += own[index]
      if own[index] > work.longest { (work.longest, work.place) = (own[index], place) }
      works[span.kind] = work
      guard let tick = ticks[index], tick != index, let last = longest[tick] else { continue }
      if last == tick || own[index] > own[last] { longest[tick] = index }
    }
    for (tick, piece) in longest {
      let culprit = piece == tick ? nil : Place(thread: thread, span: piece)
      self.ticks.append(
        Tick(
          place: Place(thread: thread, span: tick),
          duration: spans[tick].duration,
          culprit: culprit,
          culpritTime: culprit == nil ? 0 : own[piece]
        )
      )
    }
  }

  /// Ticks and flushes contain the pieces of work.
  private func isWork(_ span: Timeline.Span, _ tickKinds: Set<Int>) -> Bool {
    !tickKinds.contains(span.kind) && !isArrow(span)
      && timeline.kinds[span.kind].category != "flush"
  }

  /// `LoopTrace` writes an empty span around the end of an arrow that no work
  /// contains, because viewers show no other arrows.
  private func isArrow(_ span: Timeline.Span) -> Bool {
    timeline.kinds[span.kind].category == "arrow"
  }
}

extension TimelineFindings {
  /// The number of rows of each table of the text.
  private static let rows = 10

  /// The summary that `loopbench trace FILE` prints.
  ///
  /// - Parameter name: The name of the file.
  package func text(name: String) -> String {
    String(blocks: [
      [headline(name)] + notes,
      ticks.isEmpty
        ? [] : [hasTicks ? "Longest ticks:" : "Longest spans:"] + tickTable.lines(indent: "  "),
      work.isEmpty ? [] : ["Work by total time:"] + workTable.lines(indent: "  "),
    ])
  }

  private func headline(_ name: String) -> String {
    let bounds = timeline.bounds ?? 0...0
    let counts = [
      String.counted(timeline.threads.count, "thread"), String.counted(tickCount, "tick"),
      String.counted(timeline.spanCount, "span"),
    ]
    let time = TimeText.spaced(Double(bounds.upperBound - bounds.lowerBound))
    return "\(name): \(counts.joined(separator: ", ")) in \(time)".printable
  }

  /// The reasons why the trace may not have everything that ran.
  package var notes: [String] {
    let lost = timeline.overwrittenEvents
    return [
      lost == 0
        ? nil
        : "\(String.counted(lost, "older event")) overwritten; record again with more eventsPerThread",
      timeline.lacksThreads ? "the process had more threads than a trace can record" : nil,
    ].compactMap { $0 }
  }

  private var tickTable: TextTable {
    var table = TextTable(
      titles: ["at", hasTicks ? "tick" : "span", "longest piece of work", "its time", "thread"],
      left: [2, 4]
    )
    for tick in ticks.prefix(Self.rows) {
      table.add([
        Self.time(span(tick.place).start),
        Self.time(tick.duration),
        tick.culprit.map { name(span($0).kind) } ?? (hasTicks ? "" : name(span(tick.place).kind)),
        tick.culprit == nil ? "" : Self.time(tick.culpritTime),
        timeline.threads[tick.place.thread].name,
      ])
    }
    return table
  }

  private var workTable: TextTable {
    var table = TextTable(titles: ["work", "total", "count", "mean", "longest"])
    for work in work.prefix(Self.rows) {
      table.add([
        name(work.kind), Self.time(work.total), "\(work.count)",
        Self.time(work.total / max(1, work.count)), Self.time(work.longest),
      ])
    }
    return table
  }

  private func span(_ place: Place) -> Timeline.Span {
    timeline.threads[place.thread].spans[place.span]
  }

  /// The category and the name, unless they are the same.
  private func name(_ kind: Int) -> String {
    let kind = timeline.kinds[kind]
    let isPlain = kind.category.isEmpty || kind.category == kind.name
    return isPlain ? kind.name : "\(kind.category) \(kind.name)"
  }

  private static func time(_ nanoseconds: Int) -> String { TimeText.spaced(Double(nanoseconds)) }
}
