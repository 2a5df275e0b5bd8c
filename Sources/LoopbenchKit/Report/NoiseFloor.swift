/// How far apart the medians of one peer came out that was measured twice.
struct NoiseFloor {
  private let interval: Interval

  /// `nil` where nothing was measured twice.
  init?(of report: Report, scenario: String, series: String) {
    let noise = report.noise.first {
      ($0.scenario, $0.series, $0.percentile) == (scenario, series, Percentile.p50.label)
    }
    guard let noise else { return nil }
    interval = noise.interval
  }

  /// The larger side of the interval: `noise floor ±4.0 %`.
  var text: String {
    let side = max(abs(interval.low - 1), abs(interval.high - 1)) * 100
    return "noise floor ±\(Decimals.text(side, digits: side < 10 ? 1 : 0)) %"
  }
}
