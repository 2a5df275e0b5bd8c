/// Why a text is not a recorded load.
public struct ReplayError: Error, Equatable, CustomStringConvertible {
  /// From 1; 0 when it is about the file.
  public let line: Int
  /// What is wrong, and what is expected.
  public let message: String

  /// Makes an error about a line, or about the file.
  public init(line: Int = 0, _ message: String) {
    self.line = line
    self.message = message
  }

  /// `"line 7: the cost must be a whole number from 0 to 1000000, got \"x\""`.
  public var description: String { line == 0 ? message : "line \(line): \(message)" }
}
