/// A page that draws a timeline. It is one file, and loads nothing from the
/// network.
package struct TimelinePage {
  private let timeline: Timeline
  private let title: String

  /// - Parameter title: The name of the trace's file.
  package init(_ timeline: Timeline, title: String) {
    (self.timeline, self.title) = (timeline, title)
  }

  /// The beginning of every page.
  package static let beginning = "<!DOCTYPE html>\n<!-- drawn by loopbench trace -->\n"

  /// The style of the page, whose colours and tables other pages share.
  package static var style: String { text(PackageResources.timeline_css) }

  /// The page as HTML.
  package func html() -> String {
    Markup.page(title: title, beginning: Self.beginning, style: Self.style) { body(&$0) }
  }

  private func body(_ body: inout Markup) {
    body.element("h1", words: title)
    body.raw(Self.frame)
    body.element("script", ["type": "application/json", "id": "data"]) { $0.raw(Self.inline(data)) }
    body.line()
    // Order: a function declaration of the first script is known to the second.
    for script in [PackageResources.timeline_paint_js, PackageResources.timeline_js] {
      body.element("script") { $0.raw("\n" + Self.text(script)) }
      body.line()
    }
  }

  private static func text(_ resource: [UInt8]) -> String {
    String(decoding: resource, as: UTF8.self)
  }

  /// JSON for a script element, which the text `</script>` would end. In JSON, `<` is
  /// only part of strings.
  private static func inline(_ json: String) -> String {
    json.escaped(with: ["<": "\\u003c"])
  }

  private static let frame =
    """

    <p id="facts"></p>
    <noscript><p>This page needs JavaScript to draw the trace.</p></noscript>
    <nav>
    <input id="search" type="search" placeholder="Find spans (press /)" aria-label="Find spans">
    <output id="found" for="search"></output>
    <button id="in" title="Zoom in (+)">+</button>
    <button id="out" title="Zoom out (−)">−</button>
    <button id="all" title="Show the whole trace (0)">All</button>
    <small>Wheel zooms, drag moves, double click zooms to a span, arrow keys move.</small>
    </nav>
    <canvas id="view" tabindex="0" role="img" aria-label="Timeline, one lane per thread"></canvas>
    <div id="tip" role="tooltip" hidden></div>
    <main>
    <section><h2 id="ticks-title"></h2><table id="ticks"></table></section>
    <section><h2>Work by total time</h2><table id="work"></table></section>
    </main>

    """
}

extension TimelinePage {
  /// The data of the page as JSON. Arrays of numbers keep it small.
  package var data: String {
    let findings = TimelineFindings(timeline)
    return Content(timeline, findings).json(isPretty: false)
  }

  private struct Content: Encodable {
    let kinds: [[String]]
    let threads: [Thread]
    let counters: [Timeline.Counter]
    /// The thread, time and span of each point, and -1 for an unknown span.
    let arrows: [[Int]]
    let hasTicks: Bool
    let tickCount: Int
    let notes: [String]
    /// Thread, span, and the thread's culprit or -1, with its own time.
    let ticks: [[Int]]
    /// Kind, count, total, longest, thread and span.
    let work: [[Int]]

    // 100: more rows would not be read.
    private static let rows = 100

    init(_ timeline: Timeline, _ findings: TimelineFindings) {
      kinds = timeline.kinds.map { [$0.name, $0.category] }
      threads = timeline.threads.map { Thread($0) }
      counters = timeline.counters
      arrows = timeline.arrows.map { arrow in
        arrow.points.flatMap { [$0.thread, $0.time, $0.span ?? -1] }
      }
      (hasTicks, tickCount) = (findings.hasTicks, findings.tickCount)
      notes = findings.notes
      ticks = findings.ticks.prefix(Self.rows).map { tick in
        [tick.place.thread, tick.place.span, tick.culprit?.span ?? -1, tick.culpritTime]
      }
      work = findings.work.prefix(Self.rows).map { work in
        [work.kind, work.count, work.total, work.longest, work.place.thread, work.place.span]
      }
    }
  }

  private struct Thread: Encodable {
    let name: String
    let process: String
    /// The differences to the start of the previous span.
    let starts: [Int]
    let durations: [Int]
    let depths: [Int]
    let kinds: [Int]
    let marks: [Timeline.Mark]

    init(_ thread: Timeline.Thread) {
      (name, process) = (thread.name, thread.process)
      var last = 0
      starts = thread.spans.map { span in
        defer { last = span.start }
        return span.start - last
      }
      durations = thread.spans.map(\.duration)
      depths = thread.spans.map(\.depth)
      kinds = thread.spans.map(\.kind)
      marks = thread.marks
    }
  }
}
