/// Writes tracks in the trace event format of Chrome, which Perfetto opens.
struct TraceJSON {
  /// The position of an event, as text of JSON.
  private struct Position {
    /// The fields of the process and the thread.
    let place: String
    /// In microseconds.
    let time: String

    init(process: Int, thread: Int? = nil, time: String) {
      place = "\"pid\":\(process)" + (thread.map { ",\"tid\":\($0)" } ?? "")
      self.time = time
    }
  }

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
    addMetadata("process_name", Self.quoted("LoopTransactions"), process: process, thread: 0)
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
    let (track, process, thread) = (tracks[index], self.process(of: index), index + 1)
    let name = Self.quoted(track.name)
    if track.isVirtual { addMetadata("process_name", name, process: process, thread: thread) }
    addMetadata("thread_name", name, process: process, thread: thread)
    var depths: [Int] = []
    for (number, event) in track.events.enumerated() {
      let time = Self.microseconds(event.time)
      let position = Position(process: process, thread: thread, time: time)
      let point = arrows.points[TraceArrows.Place(track: index, event: number)]
      switch event.kind {
      case .tickBegin:
        end(&depths, from: 0, at: position)
        begin("\"tick\"", category: "tick", depth: 0, in: &depths, at: position)
      case .tickEnd: end(&depths, from: 0, at: position)
      case .spanBegin:
        end(&depths, from: event.depth, at: position)
        beginSpan(of: event, in: &depths, at: position)
        if let point { addArrow(point, at: position) }
      case .spanEnd: end(&depths, from: event.depth, at: position)
      case .mark:
        addEvent(#""ph":"i","s":"t","cat":"mark","name":"# + quotedName(of: event), at: position)
      case .frame: addEvent(Self.frameFields(of: event), at: position)
      case .arrowBegin, .arrowEnd:
        guard let point else { continue }
        // A viewer shows an arrow only if a span contains its end.
        let isBare = depths.isEmpty
        let name = point.topic.verb
        if isBare {
          begin(Self.quoted(name), category: "arrow", depth: 0, in: &depths, at: position)
        }
        addArrow(point, at: position)
        if isBare { end(&depths, from: 0, at: position) }
      case .counters, .counter, nil: break
      }
    }
    guard let last = track.events.last else { return }
    let time = Self.microseconds(last.time)
    end(&depths, from: 0, at: Position(process: process, thread: thread, time: time))
  }

  private mutating func beginSpan(
    of event: TraceEvent,
    in depths: inout [Int],
    at position: Position
  ) {
    let owner = OwnerWord(rawValue: event.name)
    begin(
      spanName(owner),
      category: Self.category(owner),
      depth: event.depth,
      in: &depths,
      at: position
    )
  }

  /// - Parameter name: As JSON.
  private mutating func begin(
    _ name: String,
    category: String,
    depth: Int,
    in depths: inout [Int],
    at position: Position
  ) {
    addEvent(#""ph":"B","cat":"\#(category)","name":\#(name)"#, at: position)
    depths.append(depth)
  }

  /// Ends the spans of `depth` and deeper ones.
  private mutating func end(_ depths: inout [Int], from depth: Int, at position: Position) {
    while let last = depths.last, last >= depth {
      addEvent(#""ph":"E""#, at: position)
      depths.removeLast()
    }
  }

  private mutating func addArrow(_ point: TraceArrows.Point, at position: Position) {
    let name = point.topic.verb
    let end = point.phase == .end ? #","bp":"e""# : ""
    let phase = #""ph":"\#(point.phase.rawValue)","id":\#(point.id)"#
    addEvent(#"\#(phase),"cat":"\#(name)","name":"\#(name)"\#(end)"#, at: position)
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
      let values = Self.counterValues(of: event)
      addEvent(
        #""ph":"C","id":\#(event.scheduler),"name":\#(quotedName(of: event)),"args":{\#(values)}"#,
        at: Position(process: process, time: Self.microseconds(event.time))
      )
    }
  }

  /// - Parameter name: As JSON.
  private mutating func addMetadata(_ key: String, _ name: String, process: Int, thread: Int) {
    addEvent(
      #""ph":"M","name":"\#(key)","args":{"name":\#(name)}"#,
      at: Position(process: process, thread: thread, time: "0")
    )
  }

  private mutating func addEvent(_ fields: String, at position: Position) {
    text += isFirst ? "\n{" : ",\n{"
    isFirst = false
    text += fields
    text += ","
    text += position.place
    text += ",\"ts\":"
    text += position.time
    text += "}"
  }
}

// Text.
extension TraceJSON {
  private mutating func quotedName(of event: TraceEvent) -> String {
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

  private static func counterValues(of event: TraceEvent) -> String {
    if event.kind == .counter { return #""value":\#(Int64(bitPattern: event.value))"# }
    let (queued, workers) = event.counters
    return #""queued":\#(queued),"workers":\#(workers)"#
  }

  // Viewers show the time of the mark, and the lateness in microseconds.
  private static func frameFields(of event: TraceEvent) -> String {
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
