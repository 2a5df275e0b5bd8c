public import AsyncDisplay

/// The number of a card, in 16 black and white marks of two pixels in its top row: by
/// these a frame can tell whose picture it shows.
final class IndexMarkNode: Node {
  private let index: Int

  init(_ index: Int) {
    self.index = index
    super.init()
  }

  override func makeDrawing() -> DisplayTask.Display? {
    { [index] context, _, _ in
      // In pixels, at any scale, and none of them blended.
      context.scale(x: 1 / context.scale, y: 1 / context.scale)
      for bit in 0..<Card.indexBits {
        let mark = Rect(x: Double(2 * bit), y: 0, width: 2, height: 1)
        context.fill(mark, with: (index >> bit) & 1 == 1 ? .white : .black)
      }
    }
  }
}

extension Card {
  /// A feed has no more cards than this many bits can count.
  static let indexBits = 16

  /// The number of the card that `bitmap` is a picture of.
  ///
  /// Call from any thread.
  public static func index(in bitmap: Bitmap) -> Int {
    bitmap.withPixels { pixels in
      (0..<indexBits).reduce(0) { $0 | (pixels[2 * $1] & 0xFF > 127 ? 1 << $1 : 0) }
    }
  }
}
