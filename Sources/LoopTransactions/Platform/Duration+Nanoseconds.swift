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
