// How a shadow is drawn, of text and of a canvas.
extension TextStyle.Shadow {
  /// Whether all of it is finite, and its blur not negative.
  var isUsable: Bool { offset.x.isFinite && offset.y.isFinite && blur.isFinite && blur >= 0 }

  /// How far it reaches beyond what casts it: as far as three box passes do.
  var margin: Double { (blur * 3).rounded(.up) }

  /// Bytes of bitmaps that drawing it needs, of what is of `size` points, at `scale`
  /// pixels each: what is blurred, and two to blur it. A sharp one needs none.
  func scratchBytes(of size: Size, scale: Double) -> Int {
    guard isUsable, blur > 0 else { return 0 }
    // try?: one that needs too much room is none.
    return (try? PixelSize(room(for: size), scale: scale)).map { 3 * $0.byteCount } ?? 0
  }

  private func room(for size: Size) -> Size {
    Size(width: size.width + 2 * margin, height: size.height + 2 * margin)
  }

  /// Draws that of what is in `rect` of `context`. `body` draws what casts it, from zero,
  /// in its colour.
  ///
  /// One that is not usable, or needs more room than a bitmap can have, is none.
  func draw(
    of rect: Rect,
    in context: DrawingContext,
    _ isCancelled: () -> Bool,
    _ body: (DrawingContext) throws -> Void
  ) throws {
    guard isUsable else { return }
    let origin = Point(x: rect.origin.x + offset.x, y: rect.origin.y + offset.y)
    guard blur > 0 else {
      return try context.saved {
        context.translate(x: origin.x, y: origin.y)
        try body(context)
      }
    }
    let margin = margin
    // Refused: it needs too much room. What casts it is drawn all the same.
    guard let pixels = try? PixelSize(room(for: rect.size), scale: context.scale) else { return }
    let sharp = try Bitmap(
      pixels,
      scale: context.scale,
      from: context.pool,
      isCancelled: isCancelled
    )
    try DrawingContext.draw(into: sharp) {
      $0.translate(x: margin, y: margin)
      try body($0)
    }
    let blurred = try BlurFilter(radius: blur * context.scale)
      .apply(to: sharp, from: context.pool, isCancelled: isCancelled)
    let place = Point(x: origin.x - margin, y: origin.y - margin)
    try context.draw(
      blurred,
      in: Rect(origin: place, size: blurred.size),
      isCancelled: isCancelled
    )
  }
}
