/// Reads requests of the Redis protocol out of bytes as they come: arrays of bulk
/// strings, and lines of words.
///
/// A value of one connection. It keeps no bytes: what is incomplete is handed to it
/// again, with what came since.
public struct RequestParser {
  /// What a client may ask for at most; above that it is a fault.
  public struct Limits: Sendable {
    /// Words of a request.
    public var arguments = 1024
    /// Bytes of a word.
    public var argumentLength = 1 << 20
    /// Bytes of a line of words.
    public var lineLength = 64 << 10
    /// Bytes of a request.
    public var requestLength = 4 << 20

    /// Those above.
    public init() {}
  }

  /// What the bytes begin with.
  public enum Outcome: Equatable, Sendable {
    /// A request, of so many bytes; `arguments` says where its words are.
    case request(length: Int)
    /// The beginning of one.
    case incomplete
    /// Nothing that could become one. No more can be read from this client.
    case fault(String)
  }

  /// Where the words of the last request are. Empty: there was nothing in it.
  public private(set) var arguments: [Range<Int>] = []

  private let limits: Limits

  /// A parser that has read nothing yet.
  public init(limits: Limits = Limits()) { self.limits = limits }

  /// Reads the request that `bytes` begin with.
  ///
  /// - Complexity: O(n) in the words, whatever their lengths; of a line, in its bytes.
  public mutating func parse(_ bytes: UnsafeRawBufferPointer) -> Outcome {
    arguments.removeAll(keepingCapacity: true)
    guard let first = bytes.first else { return .incomplete }
    let outcome = first == UInt8(ascii: "*") ? parseArray(bytes) : parseLine(bytes)
    if case .incomplete = outcome, bytes.count > limits.requestLength {
      return .fault("too big request")
    }
    return outcome
  }

  private mutating func parseArray(_ bytes: UnsafeRawBufferPointer) -> Outcome {
    var position = 1
    switch number(bytes, &position, atMost: limits.arguments) {
    case .incomplete: return .incomplete
    case .fault: return .fault("invalid multibulk length")
    case .number(let count):
      for _ in 0..<max(0, count) {
        if let ended = parseBulk(bytes, &position) { return ended }
      }
      return .request(length: position)
    }
  }

  /// One word of an array; nil, and it is added, unless that ends the parsing.
  private mutating func parseBulk(
    _ bytes: UnsafeRawBufferPointer,
    _ position: inout Int
  ) -> Outcome? {
    guard position < bytes.count else { return .incomplete }
    guard bytes[position] == UInt8(ascii: "$") else {
      return .fault("expected '$', got '\(printable(bytes[position]))'")
    }
    position += 1
    switch number(bytes, &position, atMost: limits.argumentLength) {
    case .incomplete: return .incomplete
    case .fault: return .fault("invalid bulk length")
    case .number(let length) where length < 0: return .fault("invalid bulk length")
    case .number(let length):
      let end = position + length
      if end > limits.requestLength { return .fault("too big request") }
      guard end + 2 <= bytes.count else { return .incomplete }
      guard bytes[end] == Self.cr, bytes[end + 1] == Self.lf else {
        return .fault("invalid bulk length")
      }
      arguments.append(position..<end)
      position = end + 2
      return nil
    }
  }

  private mutating func parseLine(_ bytes: UnsafeRawBufferPointer) -> Outcome {
    guard let end = bytes.prefix(limits.lineLength).firstIndex(of: Self.lf) else {
      return bytes.count < limits.lineLength ? .incomplete : .fault("too big inline request")
    }
    var start: Int?
    for position in 0...end {
      let isSpace = position == end || bytes[position] == 32 || bytes[position] == Self.cr
      if !isSpace {
        start = start ?? position
      } else if let word = start {
        arguments.append(word..<position)
        start = nil
      }
    }
    if arguments.count > limits.arguments { return .fault("too many words") }
    return .request(length: end + 1)
  }
}

extension RequestParser {
  private static var cr: UInt8 { 13 }
  private static var lf: UInt8 { 10 }
  // As many as the largest number has. Zeros in front are digits: what is incomplete
  // is read again with all that comes, and so must be short.
  private static var mostDigits: Int { 20 }

  private enum Number {
    case number(Int)
    case incomplete
    case fault
  }

  /// A decimal number and the end of its line, from `position` on.
  private func number(
    _ bytes: UnsafeRawBufferPointer,
    _ position: inout Int,
    atMost most: Int
  ) -> Number {
    var (value, isNegative, index) = (0, false, position)
    if index < bytes.count, bytes[index] == UInt8(ascii: "-") {
      isNegative = true
      index += 1
    }
    let first = index
    while index < bytes.count, bytes[index] != Self.cr {
      guard case 48...57 = bytes[index], index - first < Self.mostDigits else { return .fault }
      value = value * 10 + Int(bytes[index] - 48)
      if value > most { return .fault }
      index += 1
    }
    guard index + 1 < bytes.count else { return .incomplete }
    guard index > first, bytes[index + 1] == Self.lf else { return .fault }
    position = index + 2
    return .number(isNegative ? -value : value)
  }

  private func printable(_ byte: UInt8) -> Character {
    (33...126).contains(byte) ? Character(UnicodeScalar(byte)) : "?"
  }
}
