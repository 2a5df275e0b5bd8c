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
      for contender in contenders.shuffled(forRound: round, seed: seed) {
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
    let outcome = try contender.measure(
      round: round,
      seed: seed,
      pace: pace,
      isTraced: true,
      instruments: instruments
    )
    trace.add(outcome, round: round)
  }
}

/// A trace in the JSON format of Chrome's trace events, for Perfetto,
/// chrome://tracing or speedscope.
///
/// In the trace of a run, each peer appears as a process, and its slices, loop, producer
/// and ticks appear as threads.
package struct TraceFile: Sendable {
  private var events: [Event] = []
  private var origin: UInt64?
  private var peers: [String] = []
  private var names: [Event] = []

  /// Creates an empty trace.
  ///
  /// - Parameter origin: The time 0 of the trace. If nil, the first slice begins at 0.
  package init(origin: UInt64? = nil) { self.origin = origin }

  /// The number of events.
  package var count: Int { events.count }

  /// Adds a slice with its spans.
  package mutating func add(_ outcome: SliceOutcome, round: Int) {
    let began = outcome.began
    origin = origin ?? began
    let (peer, name) = (outcome.contender.peerName, outcome.contender.name)
    if !peers.contains(peer) { addPeer(peer) }
    let process = (peers.firstIndex(of: peer) ?? 0) + 1
    let end = began + outcome.wallNs
    add(name, category: "round \(round)", process: process, thread: 0, from: began, to: end)
    for span in outcome.spans {
      let thread = TraceSpan.Track.allCases.firstIndex(of: span.track).map { $0 + 1 } ?? 0
      let (start, end) = (span.began, span.ended)
      add(span.name, category: name, process: process, thread: thread, from: start, to: end)
    }
  }

  private mutating func addPeer(_ peer: String) {
    peers.append(peer)
    setName(peer, ofProcess: peers.count)
    for (thread, name) in (["slices"] + TraceSpan.Track.allCases.map(\.rawValue)).enumerated() {
      setName(name, ofProcess: peers.count, thread: thread)
    }
  }

  /// The trace as JSON.
  package func render() -> String {
    File(displayTimeUnit: "ns", traceEvents: names + events).json(isPretty: false)
  }
}

extension TraceFile {
  /// Adds a span. Times are in ns of one clock.
  package mutating func add(
    _ name: String,
    category: String,
    process: Int,
    thread: Int,
    from began: UInt64,
    to ended: UInt64,
    arguments: [String: String] = [:]
  ) {
    // A span may begin before the time 0, but times must not be negative.
    let (origin, start) = (origin ?? 0, max(began, origin ?? 0))
    var event = Event(name: name, cat: category, ph: "X", pid: process, tid: thread)
    event.ts = Double(start - origin) / 1000
    event.dur = Double(max(ended, start) - start) / 1000
    event.args = arguments.isEmpty ? nil : arguments
    events.append(event)
  }

  /// Names a process, or one of its threads.
  package mutating func setName(_ name: String, ofProcess process: Int, thread: Int? = nil) {
    let kind = thread == nil ? "process_name" : "thread_name"
    var event = Event(name: kind, cat: "__metadata", ph: "M", pid: process, tid: thread ?? 0)
    event.args = ["name": name]
    names.append(event)
  }

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
}
