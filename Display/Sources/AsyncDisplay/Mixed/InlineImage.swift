/// A picture in a line of text, as if it were a letter.
public struct InlineImage: Hashable, Sendable {
  /// Which.
  public var source: ImageSource

  /// How much room it has, in points; it is drawn as large as fits in the middle of that.
  public var size: Size

  /// How far it reaches below the line's baseline, in points.
  public var descent: Double

  /// The picture of `source`, of `size`, standing on the baseline or `descent` below it.
  public init(_ source: ImageSource, size: Size, descent: Double = 0) {
    self.source = source
    self.size = size
    self.descent = descent
  }
}
