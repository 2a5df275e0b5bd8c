/// An image in a line of text, laid out like a letter.
public struct InlineImage: Hashable, Sendable {
  /// The image.
  public var source: ImageSource

  /// The space that the image occupies, in points. The image is scaled to fit
  /// this space and centred in it.
  public var size: Size

  /// The distance that the image extends below the baseline, in points.
  public var descent: Double

  /// Creates an inline image. Its bottom edge is on the baseline, or `descent`
  /// below the baseline.
  public init(_ source: ImageSource, size: Size, descent: Double = 0) {
    self.source = source
    self.size = size
    self.descent = descent
  }
}
