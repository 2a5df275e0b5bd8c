import AsyncDisplay

/// A picture whose decodings are counted: green at its bottom left, red at its top right.
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
