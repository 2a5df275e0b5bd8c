import AsyncDisplay
import LoopTransactions

extension Node {
  /// Draws the node on a transparent background, as a window of the node's size
  /// would show it now.
  func look() throws -> Bitmap {
    guard let display, let pixels = try PixelSize(frame.size, scale: scale) else {
      throw DisplayError.size(.notFinite)
    }
    return try Bitmap.draw(pixels, scale: scale, from: display.pool) { context in
      context.translate(x: -frame.origin.x, y: -frame.origin.y)
      try composite(in: context, at: display.loop.now)
    }
  }
}

extension Node {
  /// Returns the pixel of `look()` at `x` and `y`.
  func look(at x: Int, _ y: Int) throws -> UInt32 { try look().pixel(x, y) }
}
