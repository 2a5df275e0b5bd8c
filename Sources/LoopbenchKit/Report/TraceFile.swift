extension Runner {
  /// Past this a viewer takes its time: a trace ends with the slice.
  package static let mostEvents = 200_000

  /// Measures shuffled rounds until one would begin after `time`, at least one, and
  /// keeps what happened when.
  ///
  /// - Parameter isInterrupted: Asked before each slice; after `true` the trace
  ///   ends with what it has.
  /// - Throws: What the first contender says that cannot be measured.
  package func trace(
    forNs time: UInt64,
    isInterrupted: () -> Bool = { false }
  ) throws(PeerFailure) -> TraceFile {
    var trace = TraceFile()
    let began = instruments.now()
    var round = 1
    repeat {
      for contender in RoundOrder.shuffle.arranged(contenders, round: round, seed: seed) {
        guard !isInterrupted(), trace.count < Self.mostEvents else { return trace }
        try add(contender, round: round, to: &trace)
      }
      round += 1
    } while instruments.now() - began < time
    return trace
  }

  private func add(
    _ contender: Contender,
    round: Int,
    to trace: inout TraceFile
  ) throws(PeerFailure) {
    let began = instruments.now()
    let outcome = try contender.measure(
      round: round,
      seed: seed,
      pace: pace,
      conditions: conditions,
      isTraced: true,
      instruments: instruments
    )
    trace.add(outcome, round: round, began: began)
  }
}

/// What happened when, for chrome://tracing, Perfetto or speedscope: the JSON of
/// Chrome's trace events.
///
/// Each peer has a process; its loop, its producer and its ticks have a thread
/// each. What a slice measured stands below the slice.
package struct TraceFile: Sendable {
  private var events: [Event] = []
  private var origin: UInt64?
  private var peers: [String] = []

  /// An empty trace.
  package init() {}

  /// How many events there are.
  package var count: Int { events.count }

  /// Adds a slice that took from `began` to `ended`, with its spans.
  package mutating func add(_ outcome: SliceOutcome, round: Int, began: UInt64) {
    let start = origin ?? began
    origin = start
    let process = number(of: outcome.contender.peerName)
    let name = outcome.contender.name
    append(
      TraceSpan(name: name, track: .loop, began: began, ended: began + outcome.wallNs),
      process,
      thread: 0,
      category: "round \(round)"
    )
    for span in outcome.spans {
      let thread = TraceSpan.Track.allCases.firstIndex(of: span.track).map { $0 + 1 } ?? 0
      append(span, process, thread: thread, category: name)
    }
  }

  /// The JSON.
  package func render() -> String {
    File(displayTimeUnit: "ns", traceEvents: names + events).json(isPretty: false)
  }
}

extension TraceFile {
  private struct File: Encodable {
    let displayTimeUnit: String
    let traceEvents: [Event]
  }

  /// Chrome's names. Times are in us, since the first slice.
  private struct Event: Encodable {
    let name: String
    let cat: String
    let ph: String
    let pid: Int
    let tid: Int
    var ts: Double?
    var dur: Double?
    var args: [String: String]?
  }

  private mutating func number(of peer: String) -> Int {
    if let index = peers.firstIndex(of: peer) { return index + 1 }
    peers.append(peer)
    return peers.count
  }

  private mutating func append(
    _ span: TraceSpan,
    _ process: Int,
    thread: Int,
    category: String
  ) {
    // Whatever a slice knew before it began, it cannot have lasted longer.
    let start = max(span.began, origin ?? 0) - (origin ?? 0)
    let length = span.ended - span.began
    events.append(
      Event(
        name: span.name,
        cat: category,
        ph: "X",
        pid: process,
        tid: thread,
        ts: Double(start) / 1000,
        dur: Double(length) / 1000
      )
    )
  }

  private var names: [Event] {
    let threads = ["slices"] + TraceSpan.Track.allCases.map(\.rawValue)
    return peers.enumerated().flatMap { index, peer in
      [Self.named("process_name", peer, process: index + 1, thread: 0)]
        + threads.enumerated().map { thread, name in
          Self.named("thread_name", name, process: index + 1, thread: thread)
        }
    }
  }

  private static func named(_ what: String, _ name: String, process: Int, thread: Int) -> Event {
    Event(name: what, cat: "__metadata", ph: "M", pid: process, tid: thread, args: ["name": name])
  }
}
