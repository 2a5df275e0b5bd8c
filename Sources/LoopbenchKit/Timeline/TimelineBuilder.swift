/// Builds a timeline from the events of a file.
struct TimelineBuilder {
  private struct Place: Hashable {
    let process: Int
    let thread: Int
  }

  private struct Track {
    let place: Place
    var thread: Timeline.Thread
    var last = 0
    /// The indices of the spans that have not ended.
    var open: [Int] = []
    /// Whether depths and parents must be computed from times.
    var isUnordered = false
  }

  private struct CounterName: Hashable {
    let process: Int
    let name: String
    let id: String
  }

  private struct ArrowName: Hashable {
    let category: String
    let id: String
  }

  private typealias Point = (rank: Int, track: Int, time: Int, span: Int?)

  private var timeline = Timeline()
  private var tracks: [Track] = []
  private var places: [Place: Int] = [:]
  private var kinds: [Timeline.Kind: Int] = [:]
  private var processes: [Int: String] = [:]
  private var names: [Place: String] = [:]
  private var counters: [CounterName: Int] = [:]
  private var arrows: [ArrowName: Int] = [:]
  private var points: [[Point]] = []

  static func timeline(of file: TraceEvents) -> Timeline {
    var builder = TimelineBuilder()
    for event in file.events { builder.add(event) }
    builder.timeline.overwrittenEvents = file.overwritten
    builder.timeline.lacksThreads = file.lacksThreads
    builder.finish()
    return builder.timeline
  }

  private mutating func add(_ event: TraceEvents.Event) {
    switch event.phase {
    case .metadata: addName(event)
    case .counter: addCounter(event)
    case .begin:
      let track = track(of: event)
      tracks[track].open.append(addSpan(event, to: track))
    case .complete:
      let track = track(of: event)
      let span = addSpan(event, to: track)
      tracks[track].thread.spans[span].end += event.duration
      tracks[track].isUnordered = true
    case .end:
      let track = track(of: event)
      guard let span = tracks[track].open.popLast() else { return }
      tracks[track].thread.spans[span].end = max(event.time, tracks[track].thread.spans[span].start)
    case .instant:
      let track = track(of: event)
      tracks[track].thread.marks.append(Timeline.Mark(time: event.time, name: event.name))
    case .arrowStart: addPoint(event, rank: 0)
    case .arrowStep: addPoint(event, rank: 1)
    case .arrowEnd: addPoint(event, rank: 2)
    case nil: break
    }
  }

  private mutating func addName(_ event: TraceEvents.Event) {
    guard let label = event.label else { return }
    let place = Place(process: event.process, thread: event.thread)
    switch event.name {
    case "process_name": processes[event.process] = label
    case "thread_name": names[place] = label
    default: break
    }
  }

  private mutating func addCounter(_ event: TraceEvents.Event) {
    let name = CounterName(process: event.process, name: event.name, id: event.id)
    let index = counters[name] ?? timeline.counters.count
    if index == timeline.counters.count {
      counters[name] = index
      timeline.counters.append(Timeline.Counter(name: event.name, process: "\(event.process)"))
    }
    let count = timeline.counters[index].times.count
    timeline.counters[index].times.append(event.time)
    for (key, value) in event.values {
      let none = [Double](repeating: 0, count: count)
      timeline.counters[index].series[key, default: none].append(value)
    }
    // A series without a value at this time keeps its last.
    for (key, values) in timeline.counters[index].series where values.count == count {
      timeline.counters[index].series[key]?.append(values.last ?? 0)
    }
  }

  private mutating func track(of event: TraceEvents.Event) -> Int {
    let place = Place(process: event.process, thread: event.thread)
    let index = places[place] ?? tracks.count
    if index == tracks.count {
      places[place] = index
      tracks.append(Track(place: place, thread: Timeline.Thread(name: "", process: "")))
    }
    if event.time < tracks[index].last { tracks[index].isUnordered = true }
    tracks[index].last = max(tracks[index].last, event.time)
    return index
  }

  private mutating func addSpan(_ event: TraceEvents.Event, to track: Int) -> Int {
    let kind = Timeline.Kind(name: event.name, category: event.category)
    let number = kinds[kind] ?? timeline.kinds.count
    if number == timeline.kinds.count {
      kinds[kind] = number
      timeline.kinds.append(kind)
    }
    let open = tracks[track].open
    tracks[track].thread.spans.append(
      Timeline.Span(
        start: event.time,
        end: event.time,
        depth: open.count,
        kind: number,
        parent: open.last
      )
    )
    return tracks[track].thread.spans.count - 1
  }

  private mutating func addPoint(_ event: TraceEvents.Event, rank: Int) {
    let name = ArrowName(category: event.category, id: event.id)
    let track = track(of: event)
    let index = arrows[name] ?? points.count
    if index == points.count {
      arrows[name] = index
      points.append([])
    }
    points[index].append((rank, track, event.time, tracks[track].open.last))
  }
}

extension TimelineBuilder {
  private mutating func finish() {
    for index in tracks.indices { finish(&tracks[index]) }
    let order = tracks.indices.sorted { first, second in
      (processOrder(first), first) < (processOrder(second), second)
    }
    timeline.threads = order.map { tracks[$0].thread }
    for index in timeline.counters.indices {
      let number = Int(timeline.counters[index].process) ?? 0
      timeline.counters[index].process = processName(number)
    }
    timeline.counters.sort { $0.name < $1.name }
    timeline.counters.distinguish()
    var places = [Int](repeating: 0, count: tracks.count)
    for (place, index) in order.enumerated() { places[index] = place }
    timeline.arrows = points.compactMap { points in
      let ordered = points.sorted { ($0.rank, $0.time) < ($1.rank, $1.time) }
      guard ordered.count > 1 else { return nil }
      return Timeline.Arrow(
        points: ordered.map { point in
          // The spans of an unordered track have new indices.
          let span = tracks[point.track].isUnordered ? nil : point.span
          return .init(thread: places[point.track], time: point.time, span: span)
        }
      )
    }
  }

  /// The first track of the process of a track.
  private func processOrder(_ track: Int) -> Int {
    tracks.firstIndex { $0.place.process == tracks[track].place.process } ?? 0
  }

  private func processName(_ process: Int) -> String { processes[process] ?? "process \(process)" }

  private func finish(_ track: inout Track) {
    track.thread.name = names[track.place] ?? "thread \(track.place.thread)"
    track.thread.process = processName(track.place.process)
    // A trace may end inside a span.
    for span in track.open { track.thread.spans[span].end = track.last }
    if track.isUnordered { track.thread.spans.nest() }
    track.thread.marks.sort { $0.time < $1.time }
  }
}

extension [Timeline.Counter] {
  /// Appends a number to the name of each counter whose name another counter of
  /// its process has before.
  fileprivate mutating func distinguish() {
    var counts: [[String]: Int] = [:]
    for index in indices {
      counts[[self[index].process, self[index].name], default: 0] += 1
      let count = counts[[self[index].process, self[index].name], default: 0]
      if count > 1 { self[index].name += " #\(count)" }
    }
  }
}

extension [Timeline.Span] {
  /// Sorts the spans, and computes their depths and parents from their times.
  fileprivate mutating func nest() {
    sort { ($0.start, $1.end) < ($1.start, $0.end) }
    var open: [Int] = []
    for index in indices {
      while let last = open.last, self[last].end <= self[index].start { open.removeLast() }
      (self[index].depth, self[index].parent) = (open.count, open.last)
      open.append(index)
    }
  }
}
