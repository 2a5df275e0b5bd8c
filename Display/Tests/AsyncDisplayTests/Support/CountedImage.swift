import AsyncDisplay

/// An image node that counts how often its image is decoded. The image is green
/// at the bottom left and red at the top right.
final class CountedImage: ImageNode {
  init(_ frame: Rect, _ count: Counted, _ gate: Gate? = nil) {
    super.init()
    self.frame = frame
    image = .data(Pictures.file("png", 8, 8))
    modification = ImageModification("counted \(ObjectIdentifier(count))") { bitmap, _, _ in
      count.add()
      gate?.wait()
      return bitmap
    }
  }
}
