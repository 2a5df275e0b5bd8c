extension Duration {
  /// Three significant digits and a unit, such as `60.3 ms`.
  var brief: String {
    if self < .zero { return "-\((.zero - self).brief)" }
    let (seconds, attoseconds) = components
    guard seconds < 1000 else { return "\(seconds) s" }
    let nanoseconds = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    switch nanoseconds {
    case ..<1000: return "\(nanoseconds) ns"
    case ..<1_000_000: return "\(Self.digits(nanoseconds, 1000)) us"
    case ..<1_000_000_000: return "\(Self.digits(nanoseconds, 1_000_000)) ms"
    default: return "\(Self.digits(nanoseconds, 1_000_000_000)) s"
    }
  }

  // `nanoseconds` is at least `unit`.
  private static func digits(_ nanoseconds: Int64, _ unit: Int64) -> String {
    func rounded(_ parts: Int64) -> Int64 { (nanoseconds * parts + unit / 2) / unit }
    let (hundredths, tenths) = (rounded(100), rounded(10))
    if hundredths < 1000 {
      return "\(hundredths / 100).\(hundredths / 10 % 10)\(hundredths % 10)"
    }
    return tenths < 1000 ? "\(tenths / 10).\(tenths % 10)" : "\(rounded(1))"
  }
}

extension Duration {
  /// The duration in whole nanoseconds, rounded towards zero and clamped to
  /// ±292 years.
  var clampedNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (scaled, isOut) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    if isOut { return seconds < 0 ? .min : .max }
    let (sum, isSumOut) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
    return isSumOut ? (seconds < 0 ? .min : .max) : sum
  }
}
