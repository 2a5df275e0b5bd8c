/// The events of one ring, with times in nanoseconds.
struct TraceTrack {
  let kind: TraceRing.Kind
  let name: String
  /// In order of their times.
  let events: [TraceEvent]
  /// The number of events that were overwritten.
  let lost: UInt64

  var isVirtual: Bool { kind == .steppedLoop }

  init(_ kind: TraceRing.Kind, name: String, events: [TraceEvent], lost: UInt64 = 0) {
    self.kind = kind
    self.name = name
    // Stable. An event is out of order if the counters of two CPUs differ, or if
    // a tick began before its first callback.
    self.events = events.sorted { $0.time < $1.time }
    self.lost = lost
  }

  /// Copies the events of `ring`. The times count from `start`.
  init(_ ring: TraceRing, _ rate: CycleClock.Rate, from start: UInt64) {
    var (events, lost) = ring.events
    if ring.kind != .steppedLoop {
      for index in events.indices {
        let time = rate.nanoseconds(at: events[index].time)
        // A tick may have begun before the trace.
        events[index].time = time > start ? time - start : 0
      }
    }
    self.init(ring.kind, name: ring.name, events: events, lost: lost)
  }

  /// The topic of the arrows that lead to a span of `owner`.
  func topic(of owner: OwnerWord) -> TraceEvent.Topic? {
    switch owner.kind {
    case .post: .post
    case .job: kind == .worker ? .operation : .post
    case .transaction: .commit
    case .operation: .operation
    default: nil
    }
  }
}

/// The arrows of a trace: pairs of events with the same key, in the order in
/// which they happened.
struct TraceArrows {
  /// The part of an arrow that an event has, as the format's letter.
  enum Phase: String {
    case start = "s"
    case step = "t"
    case end = "f"
  }

  struct Place: Hashable {
    let track: Int
    let event: Int
  }

  struct Point: Equatable {
    let id: Int
    var phase: Phase
    let topic: TraceEvent.Topic
  }

  private struct Key: Hashable {
    let topic: TraceEvent.Topic
    let key: UInt64
    // The track, if arrows of the topic do not leave it, or -1.
    let track: Int
  }

  private struct Step {
    let place: Place
    let event: TraceEvent
    let key: Key
  }

  /// The points of arrows, by event.
  private(set) var points: [Place: Point] = [:]

  /// The events where arrows of a key begin and have not ended, in order.
  private struct Beginnings {
    var places: [Place] = []
    private var first = 0

    var isEmpty: Bool { first == places.count }

    mutating func removeFirst() -> Place {
      defer { first += 1 }
      return places[first]
    }
  }

  // The beginnings of arrows by key, none of which is empty, and the events where
  // an operation began to run.
  private var open: [Key: Beginnings] = [:]
  private var running: [Key: Place] = [:]
  private var count = 0

  /// Finds the arrows between `tracks`.
  init(_ tracks: [TraceTrack]) {
    var steps: [Step] = []
    for (index, track) in tracks.enumerated() {
      steps += Self.steps(of: track, index)
    }
    steps.sort { $0.event.time < $1.event.time }
    for step in steps { add(step) }
  }

  private static func steps(of track: TraceTrack, _ index: Int) -> [Step] {
    track.events.enumerated().compactMap { number, event in
      let isSpan = event.kind == .spanBegin
      guard isSpan || event.kind == .arrowBegin || event.kind == .arrowEnd, event.value != 0 else {
        return nil
      }
      let owner = OwnerWord(rawValue: event.name)
      guard let topic = isSpan ? track.topic(of: owner) : event.topic else { return nil }
      // Times of different clocks cannot be compared.
      let isLocal = track.isVirtual || topic == .commit
      let key = Key(topic: topic, key: event.value, track: isLocal ? index : -1)
      return Step(place: Place(track: index, event: number), event: event, key: key)
    }
  }

  private mutating func add(_ step: Step) {
    let key = step.key
    switch step.event.kind {
    case .arrowBegin: open[key, default: Beginnings()].places.append(step.place)
    case .spanBegin:
      guard let start = removeFirst(key) else { return }
      count += 1
      points[start] = Point(id: count, phase: .start, topic: key.topic)
      points[step.place] = Point(id: count, phase: .end, topic: key.topic)
      if key.topic == .operation { running[key] = step.place }
    case .arrowEnd:
      // The address of a completed operation may be used again.
      if let run = running.removeValue(forKey: key), let id = points[run]?.id {
        points[run]?.phase = .step
        points[step.place] = Point(id: id, phase: .end, topic: key.topic)
      } else if let start = removeFirst(key) {
        // Cancelled before it began.
        count += 1
        points[start] = Point(id: count, phase: .start, topic: key.topic)
        points[step.place] = Point(id: count, phase: .end, topic: key.topic)
      }
    default: break
    }
  }

  // The first of the list, because equal posts to a loop run in the order
  // posted.
  private mutating func removeFirst(_ key: Key) -> Place? {
    guard let index = open.index(forKey: key) else { return nil }
    // In place, because a copy for each arrow would take quadratic time.
    let first = open.values[index].removeFirst()
    if open.values[index].isEmpty { open.remove(at: index) }
    return first
  }
}
