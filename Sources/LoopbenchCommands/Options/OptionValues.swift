import LoopbenchKit

/// Parses the values of options. Functions return nil for an invalid value.
package enum OptionValues {
  /// Parses "3s", "250ms" or "1.5us" into ns. A duration is at least 1 ns and at
  /// most a day.
  package static func duration(_ text: String) -> UInt64? {
    TimeText.nanoseconds(in: text).map { $0.rounded() }
      .flatMap { 1...86_400e9 ~= $0 ? UInt64($0) : nil }
  }

  static let aTime = "a time with its unit, such as 3s, 250ms or 25us"

  /// Parses "1000", "1000/s" or "5k/s". A rate is from 1 to a million operations
  /// per second.
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

  static let aRate = "a rate from 1/s to 1000000/s, such as 1000/s or 5k/s"

  /// Parses one or more names: "uv,lt".
  package static func names(_ text: String) -> [String]? {
    let names = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    return names.contains("") ? nil : names
  }

  static let someNames = "names separated by commas"

  /// Accepts any text that is not empty.
  static func text(_ text: String) -> String? { text.isEmpty ? nil : text }

  /// Parses a whole number up to 2^53. JSON readers represent such numbers exactly.
  static func seed(_ text: String) -> UInt64? {
    UInt64(text).flatMap { $0 <= 1 << 53 ? $0 : nil }
  }

  static let aSeed = "a whole number from 0 to \(1 << 53)"

  /// Parses "auto" or a time.
  static func warmUp(_ text: String) -> WarmUp? {
    text == "auto" ? .auto : duration(text).map { .duration(nanoseconds: $0) }
  }

  /// Parses a whole number in `range`.
  package static func number(_ text: String, in range: ClosedRange<Int>) -> Int? {
    Int(text).flatMap { range.contains($0) ? $0 : nil }
  }
}

extension OptionValues {
  /// Parses a key and a value, such as "commit=1a2b3c". Neither may be empty.
  package static func pair(_ text: String) -> (key: String, value: String)? {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else { return nil }
    return (String(parts[0]), String(parts[1]))
  }

  /// Parses "auto", "any", "same", "cross", or two CPUs such as "0,1".
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
}
