/// What measuring itself costs, for each sample.
public struct Overhead: Codable, Equatable, Sendable {
  /// Reading the clock once, in ns: a sample reads it twice, and contains the
  /// time of one reading.
  public let clockNs: Double
  /// Recording a sample, in ns: done after the measured time.
  public let recordNs: Double

  /// Makes an overhead that was measured before.
  public init(clockNs: Double, recordNs: Double) {
    self.clockNs = clockNs
    self.recordNs = recordNs
  }

  /// Measures it: the mean of 1000.
  package static func measure(_ instruments: Instruments) -> Overhead {
    let count = 1000
    let began = instruments.now()
    for _ in 1..<count { _ = instruments.now() }
    let read = instruments.now()
    var histogram = Histogram()
    for index in 0..<count { histogram.record(nanoseconds: Double(5000 + index)) }
    let recorded = instruments.now()
    return withExtendedLifetime(histogram) {
      Overhead(
        clockNs: Double(read - began) / Double(count),
        recordNs: Double(recorded - read) / Double(count)
      )
    }
  }
}
