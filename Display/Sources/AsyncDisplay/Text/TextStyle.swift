/// The line layout of a text.
public struct TextStyle: Hashable, Sendable {
  /// The horizontal position of lines.
  public enum Alignment: Hashable, Sendable {
    /// Lines begin at the left edge.
    case left
    /// Lines are centred.
    case center
    /// Lines end at the right edge.
    case right
    /// Lines reach from edge to edge, with wider spaces. The last line of a
    /// paragraph begins at the left edge.
    case justified
  }

  /// The part of a line that an ellipsis replaces if the text does not fit.
  public enum Truncation: Hashable, Sendable {
    /// Nothing is replaced. Lines that do not fit are omitted.
    case none
    /// The start of the line is replaced.
    case start
    /// The middle of the line is replaced.
    case middle
    /// The end of the line is replaced.
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
  /// The part of a line that an ellipsis replaces if the text does not fit.
  public var truncation = Truncation.none
  /// The maximum number of lines of each paragraph, and of the whole text. If
  /// nil, the height alone limits the number of lines.
  public var lineLimit: Int?
  /// The additional space between lines, in points.
  public var lineSpacing = 0.0
  /// The shadow behind the text, or nil for no shadow.
  public var shadow: Shadow?

  /// Creates a style with lines at the left edge and without a line limit.
  public init() {}
}
