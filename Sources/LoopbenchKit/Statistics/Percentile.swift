/// A percentile in thousandths of a percent.
public struct Percentile: Hashable, Sendable {
  /// The key in reports: `"50"`, `"99.9"`, `"max"`.
  public let label: String

  /// The percentile in thousandths of a percent, from 0 to 100,000.
  package let thousandths: Int

  package init(label: String, thousandths: Int) {
    self.label = label
    self.thousandths = thousandths
  }

  /// The median.
  public static let p50 = Percentile(label: "50", thousandths: 50_000)
  /// The 90th percentile.
  public static let p90 = Percentile(label: "90", thousandths: 90_000)
  /// The 99th percentile.
  public static let p99 = Percentile(label: "99", thousandths: 99_000)
  /// The 99.9th percentile.
  public static let p999 = Percentile(label: "99.9", thousandths: 99_900)
  /// The largest sample.
  public static let max = Percentile(label: "max", thousandths: 100_000)

  /// The percentiles that a report shows by default.
  package static let standard: [Percentile] = [.p50, .p90, .p99, .p999, .max]

  /// The column's title: `p50`, `max`.
  package var title: String {
    self == .max ? label : "p" + label
  }

  /// Returns whether `count` samples are enough to distinguish this percentile from
  /// the largest sample. At least one sample must lie above the percentile. As an
  /// exception, a single sample resolves the median.
  package func isResolved(by count: UInt64) -> Bool {
    let above = 100_000 - thousandths
    guard self != .max, thousandths > Self.p50.thousandths else { return count > 0 }
    return count >= UInt64((100_000 + above - 1) / above)
  }

  /// Returns the nearest rank of this percentile in `count` sorted samples, counted
  /// from 1.
  package func rank(in count: UInt64) -> UInt64 {
    let (high, low) = count.multipliedFullWidth(by: UInt64(thousandths))
    let (quotient, remainder) = UInt64(100_000).dividingFullWidth((high, low))
    return Swift.max(1, remainder == 0 ? quotient : quotient + 1)
  }
}

extension Percentile {
  /// Parses `50`, `p99.99` or `max`. `100` is `max`. Returns `nil` for other
  /// text.
  public init?(_ text: String) {
    let name = text.hasPrefix("p") ? text.dropFirst() : text[...]
    if name == "max" {
      self = .max
      return
    }
    guard let thousandths = Self.thousandths(in: name), 1...100_000 ~= thousandths else {
      return nil
    }
    self = thousandths == 100_000 ? .max : Percentile(thousandths: thousandths)
  }

  /// Parses a list: `50,90,99.99,max`. Duplicates are removed.
  package static func list(_ text: String) -> [Percentile]? {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    let percentiles = parts.compactMap { Percentile(String($0)) }
    return percentiles.count == parts.count ? percentiles.uniqued() : nil
  }

  /// Makes a percentile whose label has no trailing zeros.
  private init(thousandths: Int) {
    var label = "\(thousandths / 1000)." + String(1000 + thousandths % 1000).dropFirst()
    while label.last == "0" { label.removeLast() }
    if label.last == "." { label.removeLast() }
    self.init(label: label, thousandths: thousandths)
  }

  private static func thousandths(in text: Substring) -> Int? {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let fraction = parts.count > 1 ? parts[1] : "0"
    guard
      let whole = parts.first, 1...3 ~= whole.count, 1...3 ~= fraction.count,
      (whole + fraction).allSatisfy({ "0"..."9" ~= $0 })
    else { return nil }
    return Int(whole + fraction + String(repeating: "0", count: 3 - fraction.count))
  }
}
