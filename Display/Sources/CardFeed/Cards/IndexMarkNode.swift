public import AsyncDisplay

/// The number of a card, encoded as 16 black and white marks in the card's top
/// row. Each mark is two pixels wide.
///
/// With these marks, a frame can detect which card a bitmap shows. The tests and
/// the benchmark use them; a window shows cards without them.
final class IndexMarkNode: Node {
  private let index: Int

  init(_ index: Int) {
    self.index = index
    super.init()
  }

  override func makeDrawing() -> DisplayTask.Display? {
    { [index] context, _, _ in
      // The marks are drawn in pixels at any scale, so that no mark is blended.
      context.scale(x: 1 / context.scale, y: 1 / context.scale)
      for bit in 0..<Card.indexBits {
        let mark = Rect(x: Double(2 * bit), y: 0, width: 2, height: 1)
        context.fill(mark, with: (index >> bit) & 1 == 1 ? .white : .black)
      }
    }
  }
}

extension Card {
  /// The number of bits of a card number. A feed has at most 65,536 cards.
  static let indexBits = 16

  /// Returns the number of the card that `bitmap` shows. The card must have been
  /// created with marks.
  ///
  /// Call from any thread.
  public static func index(in bitmap: Bitmap) -> Int {
    bitmap.withPixels { pixels in
      (0..<indexBits).reduce(0) { $0 | (pixels[2 * $1] & 0xFF > 127 ? 1 << $1 : 0) }
    }
  }
}
