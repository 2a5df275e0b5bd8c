extension Runner {
  /// Viewers become slow beyond this number, so a trace ends after the slice that
  /// reaches it.
  package static let mostEvents = 200_000

  /// Measures shuffled rounds for about `time`, but at least one round, and records a
  /// trace.
  ///
  /// - Parameter isInterrupted: Called before each slice. If it returns true, the trace
  ///   ends before that slice.
  /// - Throws: The error of the first contender that cannot be measured.
  package func trace(
    forNs time: UInt64,
    isInterrupted: () -> Bool = { false }
  ) throws(PeerError) -> TraceFile {
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
  ) throws(PeerError) {
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

/// A trace in the JSON format of Chrome's trace events, for Perfetto,
/// chrome://tracing or speedscope.
///
/// In the trace, each peer appears as a process, and its slices, loop, producer and
/// ticks appear as threads.
package struct TraceFile: Sendable {
  private var events: [Event] = []
  private var origin: UInt64?
  private var peers: [String] = []

  /// Creates an empty trace.
  package init() {}

  /// The number of events.
  package var count: Int { events.count }

  /// Adds a slice that began at `began`, with its spans.
  package mutating func add(_ outcome: SliceOutcome, round: Int, began: UInt64) {
    origin = origin ?? began
    let (peer, name) = (outcome.contender.peerName, outcome.contender.name)
    if !peers.contains(peer) { peers.append(peer) }
    let process = (peers.firstIndex(of: peer) ?? 0) + 1
    let slice = TraceSpan(name: name, track: .loop, began: began, ended: began + outcome.wallNs)
    append(slice, process, thread: 0, category: "round \(round)")
    for span in outcome.spans {
      let thread = TraceSpan.Track.allCases.firstIndex(of: span.track).map { $0 + 1 } ?? 0
      append(span, process, thread: thread, category: name)
    }
  }

  /// The trace as JSON.
  package func render() -> String {
    File(displayTimeUnit: "ns", traceEvents: names + events).json(isPretty: false)
  }
}

extension TraceFile {
  private struct File: Encodable {
    let displayTimeUnit: String
    let traceEvents: [Event]
  }

  /// An event with Chrome's names for its fields. Times are in us since the first
  /// slice.
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

  private mutating func append(
    _ span: TraceSpan,
    _ process: Int,
    thread: Int,
    category: String
  ) {
    // A span may begin before its slice, but times are relative to the first slice and
    // must not be negative.
    let start = max(span.began, origin ?? 0) - (origin ?? 0)
    var event = Event(name: span.name, cat: category, ph: "X", pid: process, tid: thread)
    event.ts = Double(start) / 1000
    event.dur = Double(span.ended - span.began) / 1000
    events.append(event)
  }

  /// The metadata that names processes and threads.
  private var names: [Event] {
    let threads = ["slices"] + TraceSpan.Track.allCases.map(\.rawValue)
    return peers.enumerated().flatMap { index, peer in
      ([("process_name", 0, peer)] + threads.enumerated().map { ("thread_name", $0, $1) })
        .map { kind, thread, name in
          var event = Event(name: kind, cat: "__metadata", ph: "M", pid: index + 1, tid: thread)
          event.args = ["name": name]
          return event
        }
    }
  }
}
