/// The words of a command line, read one by one.
///
/// `presence` has this file, too, through a symbolic link.
struct OptionWords {
  private var words: ArraySlice<String>
  private let program: String
  // The option whose value comes next.
  private var option = ""

  /// - Parameter program: The name in the messages.
  init(_ words: some Sequence<String>, of program: String) {
    (self.words, self.program) = (Array(words)[...], program)
  }

  /// Reads the next option; nil at the end.
  mutating func next() -> String? {
    let word = words.popFirst()
    option = word ?? ""
    return word
  }

  /// Reads the value of the option that was read last.
  mutating func value() throws -> String {
    guard let word = words.popFirst() else { throw error("\(option) needs a value") }
    return word
  }

  /// Reads the value of the option that was read last, a number in `range`.
  mutating func number(in range: ClosedRange<Int>) throws -> Int {
    try number(value(), in: range)
  }

  /// Reads the value of the option that was read last, numbers with commas between them.
  mutating func numbers(in range: ClosedRange<Int>) throws -> [Int] {
    let words = try value().split(separator: ",", omittingEmptySubsequences: false)
    return try words.map { try number(String($0), in: range) }
  }

  private func number(_ word: String, in range: ClosedRange<Int>) throws -> Int {
    if let number = Int(word), range.contains(number) { return number }
    let expected =
      range.upperBound == .max
      ? "at least \(range.lowerBound)" : "from \(range.lowerBound) to \(range.upperBound)"
    throw error("\(option) must be \(expected), got '\(word)'")
  }

  /// The error for an option that does not exist.
  var unknownOption: UsageError { error("unknown option '\(option)'") }

  /// An error that refers to the program's help.
  func error(_ message: String) -> UsageError {
    UsageError(description: "\(message); see \(program) --help")
  }

  struct UsageError: Error, CustomStringConvertible {
    let description: String
  }
}
