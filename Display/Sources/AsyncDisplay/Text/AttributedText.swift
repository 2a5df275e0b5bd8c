/// Text with attributes for each run of characters.
///
/// Corresponds to Foundation's `NSAttributedString`.
///
/// ```swift
/// let font = Font("DejaVu Sans", size: 16)
/// let bold = Font("DejaVu Sans", size: 16, weight: 700)
/// var text = AttributedText("Total ", TextAttributes(font: font))
/// text.append("12.50", TextAttributes(font: bold))
/// ```
///
/// Pango lays out a text in one step that cannot be cancelled, so the text
/// itself is limited. `append` cuts the text at the end of a character when it
/// reaches `largestByteCount` bytes, `mostParagraphs` paragraphs, `mostRuns`
/// runs or `mostFonts` different fonts. `isCut` is then true. Longer text must
/// be split into several nodes.
///
/// Other limits do not cut the text. A character keeps at most `mostMarks`
/// combining marks. Tabs after the first `mostTabs` become spaces. Negative
/// letter spacing makes Pango try many line breaks, so at most `mostTightBytes`
/// bytes of text may have it.
public struct AttributedText: Hashable, Sendable {
  /// A range of text with the same attributes.
  public struct Run: Hashable, Sendable {
    /// The range in `string`, in bytes of UTF-8.
    public let range: Range<Int>
    /// The attributes.
    public let attributes: TextAttributes
  }

  /// The maximum length of a text, 8 KiB of UTF-8.
  public static let largestByteCount = 8192

  /// The maximum number of paragraphs of a text, including empty paragraphs.
  public static let mostParagraphs = 2048

  /// The maximum number of runs of a text.
  public static let mostRuns = 1024

  /// The maximum number of different fonts of a text.
  public static let mostFonts = 32

  /// The maximum number of bytes of text with negative letter spacing, 2 KiB.
  public static let mostTightBytes = 2048

  /// The maximum number of combining marks on one character. It is the limit of
  /// Unicode's stream-safe text format (UAX #15).
  public static let mostMarks = 30

  /// The maximum number of tabs of a text.
  public static let mostTabs = 1024

  /// The characters of the text.
  public private(set) var string = ""

  /// The runs in the order of the text. Adjacent runs with equal attributes are
  /// merged.
  public private(set) var runs: [Run] = []

  private var limiter = TextLimiter()
  private var fonts: Set<Font> = []
  private var tightBytes = 0

  /// Creates an empty text.
  public init() {}

  /// Creates a text with the same attributes everywhere.
  public init(_ string: String, _ attributes: TextAttributes) { append(string, attributes) }

  /// Whether the text is empty.
  public var isEmpty: Bool { string.isEmpty }

  /// Whether text was omitted because a limit was reached.
  public var isCut: Bool { limiter.isCut }

  /// Appends as much of `more` as the limits allow. Appends nothing if `isCut`
  /// is true.
  ///
  /// - Complexity: O(n) in the number of appended bytes.
  public mutating func append(_ more: String, _ attributes: TextAttributes) {
    add(more, attributes)
  }

  /// Appends `more` like `append`. Returns the number of bytes of combining
  /// marks that were omitted.
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

  /// Marks the text as cut, so that nothing more can be appended.
  mutating func cut() { limiter.cut() }

  /// Returns the same text in one colour.
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
