public import AsyncDisplay

/// What one card says and shows.
public struct CardContent: Hashable, Sendable {
  /// Its headline.
  public let title: String
  /// What it says below its picture.
  public let details: String
  /// The file of its picture, a JPEG.
  public let picture: ImageData
  /// How large the picture is.
  public let pixels: PixelSize

  var withoutText: CardContent {
    CardContent(title: "", details: "", picture: picture, pixels: pixels)
  }
}
