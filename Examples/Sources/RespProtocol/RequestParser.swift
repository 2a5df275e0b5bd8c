/// Parses requests of the Redis protocol: arrays of bulk strings, and inline commands.
///
/// Use one parser per connection. The parser does not store any bytes. If a request is
/// incomplete, pass the same bytes again, followed by the bytes received since then.
public struct RequestParser {
  /// The largest request that the parser accepts. A larger request is a protocol
  /// error.
  public struct Limits: Sendable {
    /// The number of words in a request.
    public var arguments = 1024
    /// The number of bytes in a word.
    public var argumentLength = 1 << 20
    /// The number of bytes in an inline command.
    public var lineLength = 64 << 10
    /// The number of bytes in a request.
    public var requestLength = 4 << 20

    /// Creates the default limits.
    public init() {}
  }

  /// The result of parsing the start of a buffer.
  public enum Outcome: Equatable, Sendable {
    /// A complete request of `length` bytes. `arguments` has the ranges of its words.
    case request(length: Int)
    /// The start of a request.
    case incomplete
    /// The bytes are not the start of any valid request. The rest of the connection
    /// cannot be parsed.
    case protocolError(String)
  }

  /// The byte ranges of the words of the last request. Empty for an empty request.
  public private(set) var arguments: [Range<Int>] = []

  private let limits: Limits

  /// Creates a parser for a new connection.
  public init(limits: Limits = Limits()) { self.limits = limits }

  /// Parses the request at the start of `bytes`.
  ///
  /// - Complexity: For an array, O(*n*) in the number of words, regardless of their
  ///   length. For an inline command, O(*n*) in the number of bytes.
  public mutating func parse(_ bytes: UnsafeRawBufferPointer) -> Outcome {
    arguments.removeAll(keepingCapacity: true)
    guard let first = bytes.first else { return .incomplete }
    let outcome = first == UInt8(ascii: "*") ? parseArray(bytes) : parseLine(bytes)
    if case .incomplete = outcome, bytes.count > limits.requestLength {
      return .protocolError("too big request")
    }
    return outcome
  }

  private mutating func parseArray(_ bytes: UnsafeRawBufferPointer) -> Outcome {
    var position = 1
    switch number(bytes, &position, atMost: limits.arguments) {
    case .incomplete: return .incomplete
    case .invalid: return .protocolError("invalid multibulk length")
    case .number(let count):
      for _ in 0..<max(0, count) {
        if let outcome = parseBulk(bytes, &position) { return outcome }
      }
      return .request(length: position)
    }
  }

  /// Parses one word of an array and adds it to `arguments`. Returns nil on success, or
  /// the outcome that ends parsing.
  private mutating func parseBulk(
    _ bytes: UnsafeRawBufferPointer,
    _ position: inout Int
  ) -> Outcome? {
    guard position < bytes.count else { return .incomplete }
    guard bytes[position] == UInt8(ascii: "$") else {
      return .protocolError("expected '$', got '\(printable(bytes[position]))'")
    }
    position += 1
    switch number(bytes, &position, atMost: limits.argumentLength) {
    case .incomplete: return .incomplete
    case .invalid: return .protocolError("invalid bulk length")
    case .number(let length) where length < 0: return .protocolError("invalid bulk length")
    case .number(let length):
      let end = position + length
      if end > limits.requestLength { return .protocolError("too big request") }
      guard end + 2 <= bytes.count else { return .incomplete }
      guard bytes[end] == Self.cr, bytes[end + 1] == Self.lf else {
        return .protocolError("invalid bulk length")
      }
      arguments.append(position..<end)
      position = end + 2
      return nil
    }
  }

  private mutating func parseLine(_ bytes: UnsafeRawBufferPointer) -> Outcome {
    guard let end = bytes.prefix(limits.lineLength).firstIndex(of: Self.lf) else {
      guard bytes.count < limits.lineLength else { return .protocolError("too big inline request") }
      return .incomplete
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
    if arguments.count > limits.arguments { return .protocolError("too many words") }
    return .request(length: end + 1)
  }
}

extension RequestParser {
  private static var cr: UInt8 { 13 }
  private static var lf: UInt8 { 10 }
  // The largest Int has 19 digits. Leading zeros count as digits, because an
  // incomplete number is parsed again after each read and must therefore stay
  // short.
  private static var maxDigits: Int { 20 }

  private enum Number {
    case number(Int)
    case incomplete
    case invalid
  }

  /// Parses a decimal number of at most `maximum` and its line end. Moves `position`
  /// past both on success.
  private func number(
    _ bytes: UnsafeRawBufferPointer,
    _ position: inout Int,
    atMost maximum: Int
  ) -> Number {
    var (value, isNegative, index) = (0, false, position)
    if index < bytes.count, bytes[index] == UInt8(ascii: "-") {
      isNegative = true
      index += 1
    }
    let first = index
    while index < bytes.count, bytes[index] != Self.cr {
      guard case 48...57 = bytes[index], index - first < Self.maxDigits else { return .invalid }
      value = value * 10 + Int(bytes[index] - 48)
      if value > maximum { return .invalid }
      index += 1
    }
    guard index + 1 < bytes.count else { return .incomplete }
    guard index > first, bytes[index + 1] == Self.lf else { return .invalid }
    position = index + 2
    return .number(isNegative ? -value : value)
  }

  private func printable(_ byte: UInt8) -> Character {
    (33...126).contains(byte) ? Character(UnicodeScalar(byte)) : "?"
  }
}
