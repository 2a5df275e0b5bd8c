/// Text, and how each stretch of it looks.
///
/// ```swift
/// var text = AttributedText("Total ", TextAttributes(font: Font("DejaVu Sans", size: 16)))
/// text.append("12.50", TextAttributes(font: Font("DejaVu Sans", size: 16, weight: 700)))
/// ```
public struct AttributedText: Hashable, Sendable {
  /// A stretch that looks the same.
  public struct Run: Hashable, Sendable {
    /// Where it is in `string`, in bytes of UTF-8.
    public let range: Range<Int>
    /// How it looks.
    public let attributes: TextAttributes
  }

  /// All of the text.
  public private(set) var string = ""

  /// Its stretches, one after the other.
  public private(set) var runs: [Run] = []

  /// No text.
  public init() {}

  /// `string`, all of it looking the same.
  public init(_ string: String, _ attributes: TextAttributes) { append(string, attributes) }

  /// Whether there is no text.
  public var isEmpty: Bool { string.isEmpty }

  /// Adds `more` at the end.
  public mutating func append(_ more: String, _ attributes: TextAttributes) {
    guard !more.isEmpty else { return }
    let start = string.utf8.count
    // Pango takes a zero for the end of the text.
    string += more.contains("\0") ? String(more.map { $0 == "\0" ? "\u{FFFD}" : $0 }) : more
    runs.append(Run(range: start..<string.utf8.count, attributes: attributes))
  }
}
