/// How a stretch of text looks.
public struct TextAttributes: Hashable, Sendable {
  /// Its glyphs.
  public var font: Font
  /// Their colour.
  public var color: Color
  /// Whether a line is drawn below it.
  public var isUnderlined: Bool
  /// Points between two letters, beside what the font says. If it is negative, an eighth of
  /// the font's size at most: letters that lie on each other make lines without end.
  public var letterSpacing: Double

  var usableSpacing: Double { max(letterSpacing, -font.usableSize / 8) }

  /// Text in `font` and `color`.
  public init(
    font: Font,
    color: Color = .black,
    isUnderlined: Bool = false,
    letterSpacing: Double = 0
  ) {
    self.font = font
    self.color = color
    self.isUnderlined = isUnderlined
    self.letterSpacing = letterSpacing
  }
}
