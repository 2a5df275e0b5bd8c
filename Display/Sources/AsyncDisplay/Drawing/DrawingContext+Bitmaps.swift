import CCairo

extension DrawingContext {
  /// Draws `bitmap` into `rect`, as opaque as `alpha`, over what is there.
  ///
  /// Where pixels of the two fall together they are copied, else interpolated.
  /// `isCancelled` is asked every 32 rows of pixels.
  ///
  /// - Throws: `DisplayError` if Cairo fails; a `CancellationError` once `isCancelled`
  ///   says so.
  public func draw(
    _ bitmap: Bitmap,
    in rect: Rect,
    alpha: Double = 1,
    isCancelled: () -> Bool = { false }
  ) throws {
    guard rect.isValid, rect.size.width > 0, rect.size.height > 0, alpha > 0 else { return }
    try bitmap.withSurface { surface in
      // Saved: the surface is this call's, and the context must not keep it.
      try saved {
        addPath(rect, radius: 0)
        cairo_clip(cairo)
        cairo_translate(cairo, rect.origin.x, rect.origin.y)
        cairo_scale(
          cairo,
          rect.size.width / Double(bitmap.pixels.width),
          rect.size.height / Double(bitmap.pixels.height)
        )
        cairo_set_source_surface(cairo, surface, 0, 0)
        // Of one that failed Cairo makes a source that nobody frees.
        if cairo_status(cairo) == ad_cairo_status_success, let source = cairo_get_source(cairo) {
          cairo_pattern_set_filter(source, ad_cairo_good)
          // Else the edges of what is made larger fade.
          cairo_pattern_set_extend(source, ad_cairo_pad)
        }
        try inBands(isCancelled) { cairo_paint_with_alpha(cairo, alpha) }
      }
    }
  }
}

extension Bitmap {
  /// Draws a bitmap of `pixels` by `body`, now, on this thread.
  ///
  /// Call from any thread. For what is drawn once and shown often: placeholders,
  /// inputs of other pictures.
  ///
  /// - Parameters:
  ///   - scale: Pixels a point; `body` draws in points.
  ///   - pool: Where the memory is from.
  /// - Throws: `DisplayError` if there is no memory or Cairo fails; what `body` throws.
  public static func draw(
    _ pixels: PixelSize,
    scale: Double = 1,
    from pool: BitmapPool,
    _ body: (DrawingContext) throws -> Void
  ) throws -> Bitmap {
    let bitmap = try Bitmap(pixels, scale: scale, from: pool)
    try DrawingContext.draw(into: bitmap, body)
    return bitmap
  }
}
