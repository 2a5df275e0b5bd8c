import FoundationEssentials

/// A file of `LoopTrace`, parsed.
package struct TraceFile: Decodable {
  package struct Event: Decodable {
    package let ph: String
    package let name: String?
    package let cat: String?
    package let pid: Int
    package let tid: Int?
    package let ts: Double
    package let id: Int?
    package let args: Arguments?
  }

  package struct Arguments: Decodable {
    package let name: String?
    package let queued: Int?
    package let workers: Int?
    /// The value of a user's counter.
    package let value: Int?
    /// The lateness of a frame, in microseconds.
    package let late: Double?
  }

  package struct Other: Decodable {
    package let overwrittenEvents: Int
    package let lacksThreads: Bool
  }

  package struct Span: Hashable {
    package let track: Int
    package let category: String
    package let name: String
    package let start: Double
    package let end: Double
    /// The name of the span that contains it.
    package let parent: String?
  }

  package struct Arrow: Hashable {
    package let category: String
    /// The names of the spans at its start, steps and end.
    package let spans: [String]
  }

  package let traceEvents: [Event]
  package let otherData: Other

  package private(set) var spans: [Span] = []
  package private(set) var arrows: [Arrow] = []
  /// The first violation of the format's rules, or nil.
  package private(set) var fault: String?

  private enum CodingKeys: String, CodingKey { case traceEvents, otherData }

  /// Parses and checks the text of a file.
  package init(_ json: String) throws {
    self = try JSONDecoder().decode(TraceFile.self, from: Data(json.utf8))
    check()
  }

  /// The names of the tracks, by track.
  package var tracks: [Int: String] {
    var tracks: [Int: String] = [:]
    for event in traceEvents where event.ph == "M" && event.name == "thread_name" {
      tracks[event.tid ?? 0] = event.args?.name
    }
    return tracks
  }

  /// The names of the marks, in the order of the file.
  package var marks: [String] { traceEvents.filter { $0.ph == "i" }.compactMap(\.name) }

  /// The events with counters.
  package var counters: [Event] { traceEvents.filter { $0.ph == "C" } }

  /// The names of the spans of a category, in the order in which they end.
  package func names(_ category: String) -> [String] {
    spans.filter { $0.category == category }.map(\.name)
  }
}

// The rules: spans nest, the times of a track and of a counter do not decrease,
// and an arrow begins once, ends once, and never goes back in time. A counter has
// a scheduler's values or one of its own, and a frame has its lateness.
extension TraceFile {
  private struct End {
    let phase: String
    let time: Double
    let span: String
    let category: String
  }

  private mutating func check() {
    var open: [Int: [Event]] = [:]
    var times: [String: Double] = [:]
    var ends: [Int: [End]] = [:]
    let named = tracks
    for event in traceEvents where event.ph != "M" {
      let track = event.tid ?? 0
      let line = event.ph == "C" ? "counter \(event.name ?? "")" : "track \(track)"
      // The format identifies a counter by its process, name and id.
      let key = event.ph == "C" ? "\(line) \(event.id ?? 0) \(event.pid)" : line
      if event.ts < times[key, default: 0] { report("\(line) goes back to \(event.ts)") }
      times[key] = event.ts
      if event.ph == "C", event.id == nil { report("\(line) has no id") }
      if event.ph != "C", named[track] == nil { report("\(line) has no name") }
      switch event.ph {
      case "B": open[track, default: []].append(event)
      case "E":
        guard let start = open[track]?.popLast() else {
          report("\(line): a span ends at \(event.ts) that did not begin")
          continue
        }
        let parent = open[track]?.last?.name
        spans.append(
          Span(
            track: track,
            category: start.cat ?? "",
            name: start.name ?? "",
            start: start.ts,
            end: event.ts,
            parent: parent
          )
        )
      case "s", "t", "f":
        guard let span = open[track]?.last?.name else {
          report("\(line): an arrow at \(event.ts) is in no span")
          continue
        }
        let end = End(phase: event.ph, time: event.ts, span: span, category: event.cat ?? "")
        ends[event.id ?? 0, default: []].append(end)
      case "i": checkMark(event)
      case "C": checkCounter(event)
      default: report("unknown event \(event.ph)")
      }
    }
    for (track, spans) in open where !spans.isEmpty {
      report("track \(track): \(spans.count) spans do not end")
    }
    for (id, ends) in ends.sorted(by: { $0.key < $1.key }) { addArrow(id, ends) }
  }

  private mutating func checkMark(_ event: Event) {
    if event.cat == "mark" { return }
    guard event.cat == "frame", let late = event.args?.late, late >= 0 else {
      return report("the mark \(event.name ?? "") is neither the user's nor a frame")
    }
    if event.name?.wholeMatch(of: /frame \d+/) == nil { report("a frame has no number") }
  }

  private mutating func checkCounter(_ event: Event) {
    let args = event.args
    let isScheduler = args?.queued != nil && args?.workers != nil && args?.value == nil
    let isUser = args?.value != nil && args?.queued == nil && args?.workers == nil
    if !isScheduler, !isUser { report("the counter \(event.name ?? "") has no value") }
  }

  private mutating func addArrow(_ id: Int, _ ends: [End]) {
    let rank = ["s": 0, "t": 1, "f": 2]
    let ends = ends.sorted { rank[$0.phase, default: 3] < rank[$1.phase, default: 3] }
    let phases = ends.map(\.phase).joined()
    guard phases == "sf" || phases == "stf" else { return report("arrow \(id) has \(phases)") }
    for (first, second) in zip(ends, ends.dropFirst()) where first.time > second.time {
      report("arrow \(id) goes back from \(first.time) to \(second.time)")
    }
    arrows.append(Arrow(category: ends[0].category, spans: ends.map(\.span)))
  }

  private mutating func report(_ text: String) { fault = fault ?? text }
}
