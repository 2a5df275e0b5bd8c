/// What one peer did in one series of one report, as a plot draws it.
struct PlotCurve {
  /// The peer, and the report's name where there are several.
  let name: String
  let result: Report.Result
  let look: PlotLook

  init(_ result: Report.Result, file: String?, look: PlotLook) {
    name = result.peer + (file.map { " · " + $0 } ?? "")
    self.result = result
    self.look = look
  }

  /// The peer's name, of a twin its original's.
  static func family(of result: Report.Result) -> String {
    guard result.isTwin, let dot = result.peer.lastIndex(of: ".") else { return result.peer }
    return String(result.peer[..<dot])
  }
}

extension PlotCurve {
  /// A place on the percentile axis, and the time there.
  struct Point: Equatable {
    /// How many nines: 0 is p0, 1 is p90, 2 is p99.
    let nines: Double
    /// In ns.
    let value: Double
  }

  /// The distribution, straight from the buckets: the first and the last sample
  /// of each, at the middle of their ranks. The last one is the largest sample.
  func points(to percentile: Percentile) -> [Point] {
    let count = Double(result.count)
    var seen = 0.0
    var points: [Point] = []
    for bucket in result.histogram.buckets {
      let value = min(max(bucket.middle, result.min), result.max)
      let last = seen + Double(bucket.count)
      points.append(Point(nines: Self.nines((seen + 0.5) / count), value: value))
      points.append(Point(nines: Self.nines((last - 0.5) / count), value: value))
      seen = last
    }
    if let last = points.popLast() { points.append(Point(nines: last.nines, value: result.max)) }
    guard percentile != .max else { return points }
    let end = Self.nines(of: percentile)
    let value = result.value(at: percentile) ?? result.max
    return points.filter { $0.nines <= end }
      + [Point(nines: min(end, points.last?.nines ?? end), value: value)]
  }

  /// Where `percentile` is, other than the largest sample.
  static func nines(of percentile: Percentile) -> Double {
    nines(Double(percentile.thousandths) / 100_000)
  }

  private static func nines(_ share: Double) -> Double { -Logarithm.of(1 - share) }
}
