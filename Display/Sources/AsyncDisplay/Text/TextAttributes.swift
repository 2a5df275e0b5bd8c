/// How a stretch of text looks.
public struct TextAttributes: Hashable, Sendable {
  /// Its glyphs.
  public var font: Font
  /// Their colour.
  public var color: Color
  /// Whether a line is drawn below it.
  public var isUnderlined: Bool
  /// Points between two letters, beside what the font says.
  public var letterSpacing: Double

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
