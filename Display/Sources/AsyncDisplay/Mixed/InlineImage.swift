/// An image in a line of text, laid out like a letter.
public struct InlineImage: Hashable, Sendable {
  /// The image.
  public var source: ImageSource

  /// The space that the image occupies, in points. The image is scaled to fit
  /// and centred.
  public var size: Size

  /// The distance it extends below the baseline, in points.
  public var descent: Double

  /// Creates an inline image that stands on the baseline, or `descent` below
  /// it.
  public init(_ source: ImageSource, size: Size, descent: Double = 0) {
    self.source = source
    self.size = size
    self.descent = descent
  }
}
