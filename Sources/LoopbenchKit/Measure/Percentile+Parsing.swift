extension Percentile {
  /// Reads `50`, `p99.99` or `max`; `100` is `max`.
  public init(_ text: String) throws(PercentileError) {
    let name = text.hasPrefix("p") ? text.dropFirst() : text[...]
    if name == "max" {
      self = .max
      return
    }
    guard let thousandths = Self.thousandths(in: name), 1...100_000 ~= thousandths else {
      throw PercentileError(text: text)
    }
    self = thousandths == 100_000 ? .max : Percentile(thousandths: thousandths)
  }

  /// Reads a list: `50,90,99.99,max`. What is named twice is taken once.
  public static func list(_ text: String) throws(PercentileError) -> [Percentile] {
    var list: [Percentile] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let percentile = try Percentile(String(part))
      if !list.contains(percentile) { list.append(percentile) }
    }
    return list
  }

  /// Its label has no more digits than it needs.
  private init(thousandths: Int) {
    var fraction = String(String(1000 + thousandths % 1000).dropFirst())
    while fraction.last == "0" { fraction.removeLast() }
    let whole = String(thousandths / 1000)
    self.init(
      label: fraction.isEmpty ? whole : whole + "." + fraction,
      thousandths: thousandths
    )
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

/// A percentile that means nothing.
public struct PercentileError: Error, Equatable, CustomStringConvertible {
  /// What was given.
  public let text: String

  /// What is expected, and what was given.
  public var description: String {
    "a percentile is above 0, at most 100, with up to 3 decimals, or max; got \"\(text)\""
  }
}
