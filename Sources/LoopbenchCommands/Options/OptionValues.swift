import LoopbenchKit

/// Values of options, read; `nil` for what is none.
package enum OptionValues {
  /// "3s", "250ms", "1.5us": ns, above 0 and at most a day.
  package static func duration(_ text: String) -> UInt64? {
    let digits = text.prefix { $0.isNumber || $0 == "." }
    guard
      let number = Double(digits),
      let unit = units[String(text.dropFirst(digits.count))]
    else { return nil }
    let nanoseconds = (number * unit).rounded()
    return 1...day ~= nanoseconds ? UInt64(nanoseconds) : nil
  }

  static let aTime = "a time with its unit, such as 3s, 250ms or 25us"

  private static let day = 86_400e9

  private static let units = [
    "ns": 1.0, "us": 1e3, "µs": 1e3, "ms": 1e6, "s": 1e9, "m": 60e9, "min": 60e9, "h": 3600e9,
  ]

  /// "1000", "1000/s", "5k/s": operations a second, 1 to a million.
  package static func rate(_ text: String) -> Double? {
    var number = text[...]
    if number.hasSuffix("/s") { number = number.dropLast(2) }
    var factor = 1.0
    if number.hasSuffix("k") {
      factor = 1000
      number = number.dropLast()
    }
    return Double(number).map { $0 * factor }.flatMap { 1...1e6 ~= $0 ? $0 : nil }
  }

  /// "uv,lt": one name or more.
  package static func names(_ text: String) -> [String]? {
    let names = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    return names.contains("") ? nil : names
  }

  static let someNames = "names separated by commas"

  /// Anything but nothing.
  static func text(_ text: String) -> String? { text.isEmpty ? nil : text }

  /// A whole number that a reader of the JSON can tell from every other: up to 2^53.
  static func seed(_ text: String) -> UInt64? {
    UInt64(text).flatMap { $0 <= largestSeed ? $0 : nil }
  }

  static let largestSeed: UInt64 = 1 << 53

  /// "auto", or a time.
  static func warmUp(_ text: String) -> WarmUp? {
    text == "auto" ? .auto : duration(text).map { .duration(nanoseconds: $0) }
  }

  /// "wake.svg", "wake.html".
  static func picture(_ text: String) -> String? {
    text.hasSuffix(".svg") || text.hasSuffix(".html") ? text : nil
  }

  static let aPicture = "the name of a file that ends in .svg or .html"

  /// A whole number in `range`.
  package static func number(_ text: String, in range: ClosedRange<Int>) -> Int? {
    Int(text).flatMap { range.contains($0) ? $0 : nil }
  }
}

extension OptionValues {
  /// "csv=wake.csv".
  package static func export(_ text: String) -> Options.Export? {
    guard
      let (name, path) = pair(text),
      let format = ReportFormat(rawValue: name)
    else { return nil }
    return Options.Export(format: format, path: path)
  }

  /// "commit=1a2b3c", neither side empty.
  package static func pair(_ text: String) -> (key: String, value: String)? {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else { return nil }
    return (String(parts[0]), String(parts[1]))
  }

  /// "auto", "any", "same", "cross", or two CPUs: "0,1".
  package static func placement(_ text: String) -> Options.PlacementChoice? {
    switch text {
    case "auto": return .automatic
    case "any": return .any
    case "same": return .same
    case "cross": return .cross
    default:
      let cpus = text.split(separator: ",", omittingEmptySubsequences: false).map {
        number(String($0), in: 0...1023)
      }
      guard cpus.count == 2, let producer = cpus[0], let loop = cpus[1] else { return nil }
      return .cpus(producer: producer, loop: loop)
    }
  }

  /// "other", or "fifo:50": the real-time priority.
  package static func policy(_ text: String) -> Int?? {
    if text == "other" { return .some(nil) }
    guard text.hasPrefix("fifo:") else { return nil }
    return number(String(text.dropFirst(5)), in: RunConditions.priorities).map { .some($0) }
  }

  /// "a, b or c".
  package static func list(_ words: [String]) -> String {
    guard words.count > 1, let last = words.last else { return words.joined() }
    return words.dropLast().joined(separator: ", ") + " or " + last
  }
}
