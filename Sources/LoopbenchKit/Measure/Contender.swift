import LoopTransactionsTesting

/// One peer in one series of a scenario. Each round measures every contender
/// once.
package struct Contender: Sendable {
  /// The scenario.
  package let scenario: Scenario
  /// One of the scenario's series.
  package let series: Series
  /// One of the scenario's peers.
  package let peer: any Peer
  /// Whether this is the second measurement of its peer, which determines the noise
  /// floor.
  package var isTwin: Bool = false
  package let seats: Placement.Seats

  /// The name in reports: `wake/across/uv`.
  package var name: String {
    "\(seriesPath)/\(peerName)"
  }

  /// `wake/across`.
  var seriesPath: String { "\(scenario.name)/\(series.name)" }

  /// The peer's name, with a suffix for a twin: `uv.again`.
  package var peerName: String {
    isTwin ? peer.name + Self.twinSuffix : peer.name
  }

  package static let twinSuffix = ".again"
}

extension Contender {
  /// The duration of a slice in ns. Nil if it depends on the peer.
  package var scheduledNs: UInt64? {
    let workload = series.workload
    let operations = UInt64((workload.warmUps + workload.samples) * workload.operations)
    return series.operationNs.map { $0 * operations }
  }

  /// Measures the peer once, on a new thread placed on the loop's CPU, or on the
  /// calling thread if the peer needs the first thread.
  package func measure(
    round: Int,
    seed: UInt64,
    pace: Pace = .standard,
    isTraced: Bool = false,
    instruments: Instruments
  ) throws(PeerError) -> SliceOutcome {
    let slice = Slice(
      series: series.name,
      workload: series.workload,
      seats: seats,
      pace: pace,
      isTraced: isTraced,
      generator: generator(round: round, seed: seed)
    )
    let began = instruments.now()
    let used = instruments.usage()
    let done = try run(slice)
    return SliceOutcome(
      contender: self,
      slice: done,
      began: began,
      wallNs: instruments.now() - began,
      usage: instruments.usage() - used
    )
  }

  private func run(_ slice: Slice) throws(PeerError) -> Slice {
    let body = { @Sendable [peer] () throws(PeerError) -> Slice in
      var slice = slice
      try peer.measure(&slice)
      return slice
    }
    do {
      return try peer.isOnFirstThread
        ? body() : PlacedThread.run(cpu: seats.loop, body)
    } catch {
      throw PeerError("\(name): \(error)")
    }
  }

  /// The stream of random numbers does not depend on the peer, so all peers of a
  /// round get the same load.
  private func generator(round: Int, seed: UInt64) -> SeededGenerator {
    let stream = UInt64(stream: "\(scenario.name)/\(series.name)/\(round)")
    return SeededGenerator(seed: seed, stream: stream)
  }
}

/// The measurements of one contender in one round.
package struct SliceOutcome: Sendable {
  package let contender: Contender
  /// The samples by series. The slice's own series has a histogram even if every
  /// operation was missed. The histograms are sparse, because the dense histograms
  /// of a round take 10 MB.
  package let recorded: [String: SparseHistogram]
  package let earlyFires: Int
  package let missed: UInt64
  package let counts: [String: UInt64]
  /// When the measurement began, in ns.
  package let began: UInt64
  package let wallNs: UInt64
  /// The recorded spans. Empty unless the slice was traced.
  package let spans: [TraceSpan]
  package let usage: ResourceUse

  package init(
    contender: Contender,
    slice: Slice,
    began: UInt64,
    wallNs: UInt64,
    usage: ResourceUse
  ) {
    self.contender = contender
    recorded = slice.recorded.merging([slice.series: Histogram()]) { samples, _ in samples }
      .mapValues { SparseHistogram($0) }
    earlyFires = slice.earlyFires
    missed = slice.missed
    counts = slice.counts
    spans = slice.spans ?? []
    self.began = began
    self.wallNs = wallNs
    self.usage = usage
  }
}
