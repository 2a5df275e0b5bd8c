/// The line layout of a text.
public struct TextStyle: Hashable, Sendable {
  /// The horizontal position of lines.
  public enum Alignment: Hashable, Sendable {
    /// At the left edge.
    case left
    /// Centred.
    case center
    /// At the right edge.
    case right
    /// At both edges, with wider spaces. The last line of a paragraph is at the
    /// left.
    case justified
  }

  /// The part of a line that an ellipsis replaces if the text does not fit.
  public enum Truncation: Hashable, Sendable {
    /// None: lines that do not fit are left out.
    case none
    /// The start.
    case start
    /// The middle.
    case middle
    /// The end.
    case end
  }

  /// A shadow behind text. A shadow with a negative blur or a value that is not
  /// finite is not drawn.
  public struct Shadow: Hashable, Sendable {
    /// The offset in points.
    public var offset: Point
    /// The blur radius in points.
    public var blur: Double
    /// The colour.
    public var color: Color

    /// Creates a shadow.
    public init(offset: Point, blur: Double = 0, color: Color) {
      self.offset = offset
      self.blur = blur
      self.color = color
    }
  }

  /// The horizontal position of lines.
  public var alignment = Alignment.left
  /// The part of a line that an ellipsis replaces.
  public var truncation = Truncation.none
  /// The most lines of each paragraph, and of the whole text. If nil, as many
  /// as fit.
  public var lineLimit: Int?
  /// The additional space between lines, in points.
  public var lineSpacing = 0.0
  /// The shadow behind the text, or nil.
  public var shadow: Shadow?

  /// Creates a style: lines at the left edge, as many as fit.
  public init() {}
}
