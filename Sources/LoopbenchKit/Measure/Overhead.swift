/// What measuring itself costs, for each sample.
public struct Overhead: Codable, Equatable, Sendable {
  /// Reading the clock once, in ns: a sample reads it twice, and contains the
  /// time of one reading.
  public let clockNs: Double
  /// Recording a sample, in ns, in memory that was touched before: done after the
  /// measured time.
  public let recordNs: Double

  /// Makes an overhead that was measured before.
  public init(clockNs: Double, recordNs: Double) {
    self.clockNs = clockNs
    self.recordNs = recordNs
  }

  /// Measures it: the median of 21 batches of 100, of which one that was
  /// interrupted, or met a cold cache, is only one.
  package static func measure(_ instruments: Instruments) -> Overhead {
    var histogram = Histogram()
    let batches = (0..<21).map { _ in measureBatch(of: 100, &histogram, instruments) }
    return withExtendedLifetime(histogram) {
      Overhead(
        clockNs: Spread(of: batches.map(\.clockNs))?.median ?? 0,
        recordNs: Spread(of: batches.map(\.recordNs))?.median ?? 0
      )
    }
  }

  private static func measureBatch(
    of count: Int,
    _ histogram: inout Histogram,
    _ instruments: Instruments
  ) -> Overhead {
    let began = instruments.now()
    for _ in 1..<count { _ = instruments.now() }
    let read = instruments.now()
    for index in 0..<count { histogram.record(nanoseconds: Double(5000 + index)) }
    let recorded = instruments.now()
    return Overhead(
      clockNs: Double(read - began) / Double(count),
      recordNs: Double(recorded - read) / Double(count)
    )
  }
}
