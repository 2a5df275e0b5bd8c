public import AsyncDisplay

/// The texts and the picture of one card.
public struct CardContent: Hashable, Sendable {
  /// The headline.
  public let title: String
  /// The text below the picture.
  public let details: String
  /// The picture, as a JPEG file.
  public let picture: ImageData
  /// The size of the picture, in pixels.
  public let pixels: PixelSize

  var withoutText: CardContent {
    CardContent(title: "", details: "", picture: picture, pixels: pixels)
  }
}
