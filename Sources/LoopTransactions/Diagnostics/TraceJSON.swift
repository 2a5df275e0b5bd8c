/// Writes tracks in the trace event format of Chrome, which Perfetto opens.
struct TraceJSON {
  private let tracks: [TraceTrack]
  private let arrows: TraceArrows
  private let isIncomplete: Bool
  private let process: Int

  // The names of spans as JSON, by `OwnerWord`.
  private var names: [UInt64: String] = [:]
  private var text = ""
  private var isFirst = true

  /// - Parameter isIncomplete: Whether a loop or a thread has no track.
  init(_ tracks: [TraceTrack], isIncomplete: Bool = false, process: Int) {
    self.tracks = tracks
    self.isIncomplete = isIncomplete
    self.process = process
    arrows = TraceArrows(tracks)
  }

  /// The whole file.
  var description: String {
    var copy = self
    return copy.make()
  }

  private mutating func make() -> String {
    let lost = tracks.reduce(0) { $0 + $1.lost }
    text = """
      {"displayTimeUnit":"ns","otherData":{"overwrittenEvents":\(lost),\
      "lacksThreads":\(isIncomplete)},"traceEvents":[
      """
    addMetadata("process_name", Self.quoted("LoopTransactions"), process, 0)
    for index in tracks.indices { addTrack(index) }
    addCounters()
    return text + "\n]}\n"
  }

  // Each loop with a virtual clock is shown as a process, because the times of
  // two clocks cannot share an axis. Linux has at most 2^22 processes.
  private func process(of track: Int) -> Int {
    tracks[track].isVirtual ? 1 << 22 + track : process
  }

  private mutating func addTrack(_ index: Int) {
    let (track, place) = (tracks[index], "\"pid\":\(process(of: index)),\"tid\":\(index + 1)")
    let name = Self.quoted(track.name)
    if track.isVirtual { addMetadata("process_name", name, process(of: index), index + 1) }
    addMetadata("thread_name", name, process(of: index), index + 1)
    var depths: [Int] = []
    for (number, event) in track.events.enumerated() {
      let time = Self.microseconds(event.time)
      let point = arrows.points[TraceArrows.Place(track: index, event: number)]
      switch event.kind {
      case .tickBegin:
        end(&depths, from: 0, place, time)
        begin("\"tick\"", "tick", &depths, 0, place, time)
      case .tickEnd: end(&depths, from: 0, place, time)
      case .spanBegin:
        end(&depths, from: event.depth, place, time)
        let owner = OwnerWord(rawValue: event.name)
        begin(spanName(owner), Self.category(owner), &depths, event.depth, place, time)
        if let point { add(point, place, time) }
      case .spanEnd: end(&depths, from: event.depth, place, time)
      case .mark: addEvent(#""ph":"i","s":"t","cat":"mark","name":"# + nameOf(event), place, time)
      case .frame: addEvent(Self.frame(event), place, time)
      case .arrowBegin, .arrowEnd:
        guard let point else { continue }
        // A viewer shows an arrow only if a span contains its end.
        let isBare = depths.isEmpty
        let name = point.topic.verb
        if isBare { begin(Self.quoted(name), "arrow", &depths, 0, place, time) }
        add(point, place, time)
        if isBare { end(&depths, from: 0, place, time) }
      case .counters, .counter, nil: break
      }
    }
    if let last = track.events.last { end(&depths, from: 0, place, Self.microseconds(last.time)) }
  }

  private mutating func begin(
    _ name: String,
    _ category: String,
    _ depths: inout [Int],
    _ depth: Int,
    _ place: String,
    _ time: String
  ) {
    addEvent(#""ph":"B","cat":"\#(category)","name":\#(name)"#, place, time)
    depths.append(depth)
  }

  /// Ends the spans of `depth` and deeper ones.
  private mutating func end(
    _ depths: inout [Int],
    from depth: Int,
    _ place: String,
    _ time: String
  ) {
    while let last = depths.last, last >= depth {
      addEvent(#""ph":"E""#, place, time)
      depths.removeLast()
    }
  }

  private mutating func add(_ point: TraceArrows.Point, _ place: String, _ time: String) {
    let name = point.topic.verb
    let end = point.phase == .end ? #","bp":"e""# : ""
    let phase = #""ph":"\#(point.phase.rawValue)","id":\#(point.id)"#
    addEvent(#"\#(phase),"cat":"\#(name)","name":"\#(name)"\#(end)"#, place, time)
  }

  private mutating func addCounters() {
    var counters: [(event: TraceEvent, process: Int)] = []
    for (index, track) in tracks.enumerated() {
      for event in track.events where event.kind == .counters || event.kind == .counter {
        counters.append((event, process(of: index)))
      }
    }
    counters.sort { $0.event.time < $1.event.time }
    for (event, process) in counters {
      let values = Self.values(event)
      addEvent(
        #""ph":"C","id":\#(event.scheduler),"name":\#(nameOf(event)),"args":{\#(values)}"#,
        "\"pid\":\(process)",
        Self.microseconds(event.time)
      )
    }
  }

  private mutating func addMetadata(_ key: String, _ name: String, _ process: Int, _ thread: Int) {
    addEvent(
      #""ph":"M","name":"\#(key)","args":{"name":\#(name)}"#,
      "\"pid\":\(process),\"tid\":\(thread)",
      "0"
    )
  }

  private mutating func addEvent(_ fields: String, _ place: String, _ time: String) {
    text += isFirst ? "\n{" : ",\n{"
    isFirst = false
    text += fields
    text += ","
    text += place
    text += ",\"ts\":"
    text += time
    text += "}"
  }
}

// Text.
extension TraceJSON {
  private mutating func nameOf(_ event: TraceEvent) -> String {
    spanName(OwnerWord(rawValue: event.name))
  }

  private mutating func spanName(_ owner: OwnerWord) -> String {
    if let name = names[owner.rawValue] { return name }
    let name = owner.name
    let quoted = Self.quoted(name.isEmpty ? "\(owner.kind)" : name)
    names[owner.rawValue] = quoted
    return quoted
  }

  private static func category(_ owner: OwnerWord) -> String {
    // The library's only span that is not a piece of work.
    owner.kind == .other ? "flush" : "\(owner.kind)"
  }

  private static func values(_ event: TraceEvent) -> String {
    if event.kind == .counter { return #""value":\#(Int64(bitPattern: event.value))"# }
    let (queued, workers) = event.counters
    return #""queued":\#(queued),"workers":\#(workers)"#
  }

  // Viewers show the time of the mark, and the lateness in microseconds.
  private static func frame(_ event: TraceEvent) -> String {
    let (index, late) = (event.value, microseconds(event.name))
    return #""ph":"i","s":"t","cat":"frame","name":"frame \#(index)","args":{"late":\#(late)}"#
  }

  private static func microseconds(_ nanoseconds: UInt64) -> String {
    let rest = nanoseconds % 1000
    let zeros = rest < 10 ? "00" : rest < 100 ? "0" : ""
    return "\(nanoseconds / 1000).\(zeros)\(rest)"
  }

  /// `text` as a string of JSON.
  static func quoted(_ text: String) -> String {
    let marked = text.unicodeScalars.reduce(into: "") { marked, scalar in
      if scalar == "\"" || scalar == "\\" { marked += "\\" }
      marked.unicodeScalars.append(scalar)
    }
    return "\"\(marked.escapingControls())\""
  }
}

extension TraceEvent.Topic {
  /// The name of arrows in the file.
  fileprivate var verb: String {
    switch self {
    case .post: "post"
    case .commit: "commit"
    case .operation: "add"
    case .request: "request"
    }
  }
}
