import LoopbenchKit

/// The page that `--html` writes: the report, the late holds over time, and a flame
/// graph for each cause. It is one file, and loads nothing from the network.
package struct WatchPage {
  private let result: WatchResult
  private let lanes: [HoldLane]
  private let graphs: [FlameGraph]

  package init(_ result: WatchResult) {
    self.result = result
    lanes = HoldLane.all(in: result)
    let holds = result.holds
    let total = holds.reduce(0) { $0 + $1.hold.length }
    // As in the report, less than 1 % of the time is left out.
    graphs = Cause.allCases.map { FlameGraph($0, of: holds) }
      .filter { !$0.isEmpty && $0.time * 100 >= total }
      .sorted { $0.time > $1.time }
  }

  /// The page as HTML.
  package func html() -> String {
    Markup.page(
      title: "watch " + result.program,
      beginning: "<!DOCTYPE html>\n<!-- drawn by loopbench watch -->\n",
      style: TimelinePage.style + Self.text(PackageResources.watch_page_css)
    ) { body in
      body.element("h1", words: result.program)
      facts(&body)
      body.element("p", ["class": "lead"], words: result.summary.headline)
      body.line()
      if !result.holds.isEmpty {
        table(&body)
        timeline(&body)
        for graph in graphs { flames(graph, &body) }
        list(&body)
      }
      body.element("script") { $0.raw("\n" + Self.text(PackageResources.watch_page_js)) }
      body.line()
    }
  }

  private static func text(_ resource: [UInt8]) -> String {
    String(decoding: resource, as: UTF8.self)
  }

  /// `process 4711 · 2026-11-28T18:03:12Z · all holds: p50 0.2 ms`. The script shows the
  /// time of the reader's zone.
  private func facts(_ body: inout Markup) {
    let date = TimeText.date((result.timeOrigin + result.began) / 1_000_000_000)
    body.element("p", ["id": "facts"]) { facts in
      facts.element("span", words: "process \(result.process) · from ")
      facts.element("time", ["datetime": date], words: date)
      let rest = [result.summary.distribution, result.isSampled ? "sampled" : nil]
      for text in rest.compactMap(\.self) { facts.element("span", words: " · " + text) }
    }
    body.line()
  }

  /// The rows of the report.
  private func table(_ body: inout Markup) {
    body.element("table", ["class": "causes"]) { table in
      table.raw("<thead><tr><th>time<th>cause<th class=word>culprit<th>holds<th>worst</thead>\n")
      table.element("tbody") { rows in
        for row in rowsOfTable { self.row(row, &rows) }
      }
    }
    body.line()
    let rest = result.summary.sortedRows.count - rowsOfTable.count
    if rest > 0 {
      body.element("p", ["class": "legend"], words: "and \(rest.grouped) more rows")
    }
  }

  // 100: more rows would not be read.
  private var rowsOfTable: ArraySlice<WatchSummary.Row> { result.summary.sortedRows.prefix(100) }

  private func row(_ row: WatchSummary.Row, _ rows: inout Markup) {
    rows.element("tr") { cells in
      cells.element("td", words: TimeText.duration(row.time))
      cells.element("td") { $0.chip(row.cause) }
      let hasOneLoop = lanes.count < 2
      let text = result.summary.description(of: row)
      cells.element("td", ["class": "word"], words: hasOneLoop ? text : "\(row.thread): \(text)")
      cells.element("td", words: row.count == 0 ? "" : "\(row.count.grouped)×")
      cells.element("td", words: row.count == 0 ? "" : TimeText.duration(row.worst))
    }
    rows.line()
  }
}

extension WatchPage {
  /// The longest holds of the lanes, longest first.
  private var listed: [HoldLane.Bar] {
    lanes.flatMap(\.bars).sorted {
      ($0.late.hold.length, $1.number) > ($1.late.hold.length, $0.number)
    }
  }

  private func timeline(_ body: inout Markup) {
    body.element("h2", words: "Late holds over time")
    body.element("p", ["class": "legend"]) { legend in
      for cause in Cause.allCases where result.holds.contains(where: { $0.parts[cause] > 0 }) {
        legend.chip(cause)
      }
    }
    body.line()
    for lane in lanes {
      if lanes.count > 1 { body.element("h3", words: lane.name) }
      let label = "Late holds of \(lane.name)"
      body.element("div", ["class": "lane", "role": "group", "aria-label": label]) { box in
        box.element("small", words: TimeText.duration(lane.worst))
        for (index, bar) in lane.bars.enumerated() {
          self.bar(bar, of: lane, isFirst: index == 0, &box)
        }
      }
      body.line()
    }
    body.element("p", ["class": "axis"]) { axis in
      for part in [0, 0.25, 0.5, 0.75, 1] {
        let time = Double(HoldLane.start(of: result)) + part * Double(HoldLane.span(of: result))
        let offset = UInt64(time).since(result.began)
        axis.element("span", words: offset == 0 ? "0 s" : TimeText.duration(offset))
      }
    }
    body.line()
  }

  private func bar(
    _ bar: HoldLane.Bar,
    of lane: HoldLane,
    isFirst: Bool,
    _ box: inout Markup
  ) {
    let hold = bar.late.hold
    let height = Double(hold.length) / Double(max(lane.worst, 1))
    let style = "left:\(percent(bar.left));width:\(percent(bar.width));height:\(percent(height))"
    box.element(
      "a",
      [
        "href": "#hold-\(bar.number)", "style": style, "tabindex": isFirst ? "0" : "-1",
        "aria-label": title(bar), "title": title(bar),
      ]
    ) { link in
      for cause in Cause.allCases where bar.late.parts[cause] > 0 {
        link.element("i", ["class": cause.word, "style": "flex:\(bar.late.parts[cause])"]) { _ in }
      }
    }
  }

  /// `112 ms at 3.2 s: running loadCart shop.js:3`.
  private func title(_ bar: HoldLane.Bar) -> String {
    let (late, main) = (bar.late, bar.late.parts.main)
    let time = TimeText.duration(late.hold.began.since(result.began))
    let text = main == .waiting ? late.culprit(of: main)?.description : late.description(of: main)
    return "\(TimeText.duration(late.hold.length)) at \(time): \(main.rawValue)"
      + (text.map { main == .waiting ? " in \($0)" : " \($0)" } ?? "")
  }

  private func list(_ body: inout Markup) {
    let listed = listed
    body.element("h2", words: "Longest holds")
    if listed.count < result.summary.count {
      let text = "\(listed.count.grouped) of \(result.summary.count.grouped) late holds"
      body.element("p", ["class": "legend"], words: text)
    }
    body.line()
    for bar in listed { details(bar, &body) }
  }

  private func details(_ bar: HoldLane.Bar, _ body: inout Markup) {
    body.element("details", ["id": "hold-\(bar.number)"]) { details in
      details.element("summary", words: title(bar))
      details.element("p", ["class": "legend"]) { parts in
        for cause in Cause.allCases where bar.late.parts[cause] > 0 {
          parts.chip(cause, time: bar.late.parts[cause])
        }
        if let reason = bar.late.reason { parts.element("span", words: reason) }
      }
      let captures = bar.late.captures
      guard !captures.isEmpty else { return }
      details.element("ol") { stack in
        for name in captures[captures.count / 2].stack.map(\.description).folded {
          stack.element("li", words: name)
        }
      }
    }
    body.line()
  }
}

extension WatchPage {
  // 0.2 %: less than 3 pixels of a wide screen.
  private static let leastShare = 0.002

  private func flames(_ graph: FlameGraph, _ body: inout Markup) {
    let (nodes, total) = (graph.nodes(least: Self.leastShare), TimeText.duration(graph.time))
    body.element("h2") { title in
      title.chip(graph.cause)
      title.element("span", words: " \(total) by function")
    }
    let hint = "Strong: the program. Striped: garbage collection. Select a function to zoom in."
    body.element("output", ["class": "legend"], words: hint)
    body.line()
    let depth = (nodes.map(\.depth).max() ?? 0) + 2
    body.element(
      "div",
      [
        "class": "flames \(graph.cause.word)", "style": "height:calc(\(depth)*var(--row))",
        "role": "group", "aria-label": "Flame graph of \(graph.cause.rawValue)",
      ]
    ) { box in
      box.frame("all", "", row: 0, left: 0, width: 1, time: total)
      for node in nodes {
        let (start, time) = (Double(node.start), Double(node.time))
        box.line()
        box.frame(
          node.name,
          node.role == .program ? "own" : node.role == .collector ? "collector" : "",
          row: node.depth + 1,
          left: start / Double(graph.time),
          width: time / Double(graph.time),
          time: TimeText.duration(node.time)
        )
      }
    }
    body.line()
  }
}

extension Markup {
  fileprivate mutating func chip(_ cause: Cause, time: UInt64? = nil) {
    let text = time.map { " " + TimeText.duration($0) } ?? ""
    element("span", ["class": "chip \(cause.word)"], words: cause.rawValue + text)
  }

  fileprivate mutating func frame(
    _ name: String,
    _ role: String,
    row: Int,
    left: Double,
    width: Double,
    time: String
  ) {
    let place = "left:\(percent(left));width:\(percent(width));top:calc(\(row)*var(--row))"
    let share = Decimals.text(width * 100, digits: 1)
    element(
      "button",
      [
        "class": role, "style": place, "tabindex": row == 0 ? "0" : "-1",
        "title": "\(name): \(time), \(share) %",
      ],
      words: name
    )
  }
}

extension Cause {
  /// The name of the cause in the style sheet.
  fileprivate var word: String { self == .waiting ? "waiting" : rawValue }
}

private func percent(_ share: Double) -> String { Decimals.shortest(share * 100) + "%" }

/// The late holds of one loop over the time of a watch. A lane has one bar for each
/// slice of time with a late hold: the longest of them.
package struct HoldLane {
  package struct Bar {
    package let late: LateHold
    /// The index of the hold in the result.
    package let number: Int
    /// From 0 to 1.
    package let left: Double
    /// From 0 to 1.
    package let width: Double
  }

  package let name: String
  package private(set) var bars: [Bar] = []
  /// The longest hold, in ns.
  package private(set) var worst: UInt64 = 0

  // 160: 2 pixels each on a narrow phone.
  package static let columns = 160

  /// The lanes, longest time of late holds first; at most 12.
  package static func all(in result: WatchResult) -> [HoldLane] {
    let groups = Dictionary(grouping: result.holds.enumerated()) { Loop($0.element) }
    let total = { (loop: Loop) in groups[loop]?.reduce(0) { $0 + $1.element.hold.length } ?? 0 }
    let loops = groups.keys.sorted { (total($0), $1.thread) > (total($1), $0.thread) }
    return loops.prefix(12).map { HoldLane($0.thread, groups[$0] ?? [], in: result) }
  }

  private struct Loop: Hashable {
    let process: Int32
    let thread: String

    init(_ late: LateHold) { (process, thread) = (late.process, late.thread) }
  }

  private init(
    _ name: String,
    _ holds: [(offset: Int, element: LateHold)],
    in result: WatchResult
  ) {
    self.name = name
    let (start, span) = (Self.start(of: result), Double(max(Self.span(of: result), 1)))
    var longest: [Int: Bar] = [:]
    for (number, late) in holds {
      let left = min(Double(late.hold.began.since(start)) / span, 1)
      let column = min(Int(left * Double(Self.columns)), Self.columns - 1)
      guard late.hold.length > longest[column]?.late.hold.length ?? 0 else { continue }
      let width = max(Double(late.hold.length) / span, 1 / Double(Self.columns))
      longest[column] = Bar(late: late, number: number, left: left, width: width)
    }
    bars = longest.values.sorted { $0.left < $1.left }
    worst = bars.map(\.late.hold.length).max() ?? 0
  }

  /// The start of the axis: of the watch, or of the first hold that was kept.
  static func start(of result: WatchResult) -> UInt64 {
    let isWhole = result.holds.count == result.summary.count
    return isWhole ? result.began : result.holds.map(\.hold.began).min() ?? result.began
  }

  /// The length of the axis, in ns.
  static func span(of result: WatchResult) -> UInt64 {
    (result.began + result.summary.length).since(start(of: result))
  }
}
