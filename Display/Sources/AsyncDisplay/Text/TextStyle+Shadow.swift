// Drawing shadows of text and of canvases.
extension TextStyle.Shadow {
  /// Whether all values are finite and the blur is not negative.
  var isUsable: Bool { offset.x.isFinite && offset.y.isFinite && blur.isFinite && blur >= 0 }

  /// The distance that the blur reaches, which is the reach of three box
  /// passes.
  var margin: Double { (blur * 3).rounded(.up) }

  /// Returns the number of bytes of temporary bitmaps for drawing the shadow of
  /// an area of `size` points at `scale` pixels per point. One bitmap holds the
  /// shape, and two more are needed to blur it. Returns zero if the shadow is
  /// sharp.
  func scratchBytes(of size: Size, scale: Double) -> Int {
    guard isUsable, blur > 0 else { return 0 }
    // try?: a shadow that is too large for a bitmap is not drawn.
    return (try? PixelSize(room(for: size), scale: scale)).map { 3 * $0.byteCount } ?? 0
  }

  private func room(for size: Size) -> Size {
    Size(width: size.width + 2 * margin, height: size.height + 2 * margin)
  }

  /// Draws the shadow of the area `rect`. `body` draws the shape that casts the
  /// shadow, relative to the origin of `rect` and in the shadow's colour.
  ///
  /// Draws nothing if the shadow is not usable or is too large for a bitmap.
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
    // try?: a shadow that is too large for a bitmap is not drawn.
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
