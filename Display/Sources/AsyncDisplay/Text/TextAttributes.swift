/// The attributes of a run of text.
public struct TextAttributes: Hashable, Sendable {
  /// The font.
  public var font: Font
  /// The colour.
  public var color: Color
  /// Whether the text is underlined.
  public var isUnderlined: Bool
  /// The additional space between letters, in points. A negative value is
  /// limited to 1/8 of the font size, because a line of letters that overlap
  /// completely would be endless.
  public var letterSpacing: Double

  var usableSpacing: Double { max(letterSpacing, -font.usableSize / 8) }

  /// Creates attributes.
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
