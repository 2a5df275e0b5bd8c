/// Text, and how each stretch of it looks.
///
/// ```swift
/// var text = AttributedText("Total ", TextAttributes(font: Font("DejaVu Sans", size: 16)))
/// text.append("12.50", TextAttributes(font: Font("DejaVu Sans", size: 16, weight: 700)))
/// ```
///
/// Pango sets a text in one step, which cannot be cancelled, so a text is bounded where it
/// is made. `append` cuts it at the end of a character, and sets `isCut`, once it has
/// `largestByteCount` bytes, `mostParagraphs` paragraphs, `mostRuns` stretches or
/// `mostFonts` different fonts. Put longer text into several nodes. A character keeps
/// `mostMarks` marks. A text has `mostTightBytes` bytes of negative letter spacing, for which
/// Pango tries many line breaks. Tabs after the first `mostTabs` become spaces.
public struct AttributedText: Hashable, Sendable {
  /// A stretch that looks the same.
  public struct Run: Hashable, Sendable {
    /// Where it is in `string`, in bytes of UTF-8.
    public let range: Range<Int>
    /// How it looks.
    public let attributes: TextAttributes
  }

  /// The longest text, in bytes of UTF-8: 8 KiB.
  public static let largestByteCount = 8192

  /// The most paragraphs of a text, empty ones included.
  public static let mostParagraphs = 2048

  /// The most stretches of a text.
  public static let mostRuns = 1024

  /// The most different fonts of a text.
  public static let mostFonts = 32

  /// The most bytes of text whose letter spacing is negative: 2 KiB.
  public static let mostTightBytes = 2048

  /// The most marks on one letter. Unicode's stream-safe text format (UAX #15) allows the
  /// same number.
  public static let mostMarks = 30

  /// The most tabs of a text.
  public static let mostTabs = 1024

  /// All of the text.
  public private(set) var string = ""

  /// Its stretches, one after the other. Neighbours that look the same are one.
  public private(set) var runs: [Run] = []

  private var limiter = TextLimiter()
  private var fonts: Set<Font> = []
  private var tightBytes = 0

  /// No text.
  public init() {}

  /// `string`, all of it looking the same.
  public init(_ string: String, _ attributes: TextAttributes) { append(string, attributes) }

  /// Whether there is no text.
  public var isEmpty: Bool { string.isEmpty }

  /// Whether text was left out because there would be too much of it.
  public var isCut: Bool { limiter.isCut }

  /// Adds `more` at the end, as far as the text may grow; nothing if `isCut`.
  ///
  /// - Complexity: O(n) in the bytes that are added.
  public mutating func append(_ more: String, _ attributes: TextAttributes) {
    add(more, attributes)
  }

  /// As `append`; returns how many bytes of marks were left out.
  @discardableResult
  mutating func add(_ more: String, _ attributes: TextAttributes) -> Int {
    guard !more.isEmpty, !isCut else { return 0 }
    let start = string.utf8.count
    let continues = runs.last?.attributes == attributes
    guard continues || hasRoom(for: attributes) else {
      limiter.cut()
      return 0
    }
    let isTight = attributes.letterSpacing < 0
    let room = min(
      Self.largestByteCount - start,
      isTight ? Self.mostTightBytes - tightBytes : .max
    )
    let (text, omitted) = limiter.take(more, room: room)
    if isTight { tightBytes += text.utf8.count }
    guard !text.isEmpty else { return omitted }
    string += text
    fonts.insert(attributes.font)
    var first = start
    if continues { first = runs.removeLast().range.lowerBound }
    runs.append(Run(range: first..<string.utf8.count, attributes: attributes))
    return omitted
  }

  /// Leaves out everything that is added from now on.
  mutating func cut() { limiter.cut() }

  /// The same text, all of it in `color`.
  func colored(_ color: Color) -> AttributedText {
    var text = self
    text.runs = runs.map { run in
      var attributes = run.attributes
      attributes.color = color
      return Run(range: run.range, attributes: attributes)
    }
    return text
  }

  private func hasRoom(for attributes: TextAttributes) -> Bool {
    runs.count < Self.mostRuns
      && (fonts.contains(attributes.font) || fonts.count < Self.mostFonts)
  }
}
