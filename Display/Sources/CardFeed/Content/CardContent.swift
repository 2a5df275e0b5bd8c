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
  /// The height of the title, in points.
  public let titleHeight: Double
  /// The height of the area below the picture, in points. It has room for all
  /// lines of `details`.
  public let textHeight: Double
  /// The landscape of the picture, for other sizes.
  let original: PictureOriginal

  /// The kind of landscape that the picture shows.
  package var scenery: Scenery { original.scenery }

  /// Creates a card and measures its texts.
  ///
  /// Call from any thread.
  init(
    title: String,
    details: String,
    picture: ImageData,
    pixels: PixelSize,
    original: PictureOriginal
  ) {
    (self.title, self.details) = (title, details)
    (self.picture, self.pixels, self.original) = (picture, pixels, original)
    let text = CardText(title: title, details: details)
    (titleHeight, textHeight) = (text.titleHeight, text.areaHeight)
  }

  /// Returns a card with the same picture and other texts.
  package func with(title: String, details: String) -> CardContent {
    CardContent(
      title: title,
      details: details,
      picture: picture,
      pixels: pixels,
      original: original
    )
  }

  /// Returns the picture with at least `size` pixels, rendered again unless it
  /// has them already.
  ///
  /// Call from any thread. Takes about 0.15 s per million pixels.
  ///
  /// - Throws: `DisplayError` if memory runs out; `CancellationError` once
  ///   `isCancelled` returns true.
  package func picture(
    of size: PixelSize,
    isCancelled: () -> Bool = { false }
  ) throws -> ImageData {
    if pixels.width >= size.width, pixels.height >= size.height { return picture }
    return ImageData(try original.file(of: size, isCancelled: isCancelled))
  }
}
