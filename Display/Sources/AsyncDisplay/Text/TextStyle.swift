/// How text is set in lines.
public struct TextStyle: Hashable, Sendable {
  /// Where lines that are shorter than others go.
  public enum Alignment: Hashable, Sendable {
    /// To the left edge.
    case left
    /// Between both.
    case center
    /// To the right edge.
    case right
    /// To both, by wider spaces; the last line of a paragraph to the left.
    case justified
  }

  /// Which part gives way to an ellipsis in a line that has no room.
  public enum Truncation: Hashable, Sendable {
    /// None: lines that have no room are not drawn.
    case none
    /// Its start.
    case start
    /// Its middle.
    case middle
    /// Its end.
    case end
  }

  /// A shadow of the text. One that is not finite, or whose blur is negative, is none.
  public struct Shadow: Hashable, Sendable {
    /// How far it is off, in points.
    public var offset: Point
    /// How far it is blurred, in points.
    public var blur: Double
    /// Its colour.
    public var color: Color

    /// A shadow `offset` away.
    public init(offset: Point, blur: Double = 0, color: Color) {
      self.offset = offset
      self.blur = blur
      self.color = color
    }
  }

  /// Where lines go.
  public var alignment = Alignment.left
  /// Which part gives way.
  public var truncation = Truncation.none
  /// At most so many lines of each paragraph, and of the text; nil: as many as there is
  /// room for.
  public var lineLimit: Int?
  /// Points between two lines, beside what the font says.
  public var lineSpacing = 0.0
  /// A shadow behind the text.
  public var shadow: Shadow?

  /// Lines to the left, as many as there is room for.
  public init() {}
}
