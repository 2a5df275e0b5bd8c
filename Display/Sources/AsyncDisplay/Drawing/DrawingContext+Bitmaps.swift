import CDisplayCairo

extension DrawingContext {
  /// Draws `bitmap` into `rect` with the opacity `alpha`.
  ///
  /// Pixels that coincide with pixels of the target are copied; all other
  /// pixels are interpolated. `isCancelled` is called every 32 rows of pixels.
  ///
  /// - Throws: `DisplayError` if Cairo fails; `CancellationError` once
  ///   `isCancelled` returns true.
  public func draw(
    _ bitmap: Bitmap,
    in rect: Rect,
    alpha: Double = 1,
    isCancelled: () -> Bool = { false }
  ) throws {
    guard rect.isValid, rect.size.width > 0, rect.size.height > 0, alpha > 0 else { return }
    try bitmap.withSurface { surface in
      // The graphics state is saved and restored, so that the context does not
      // keep the surface of this call.
      try saved {
        addPath(rect, radius: 0)
        ad_cairo_clip(cairo)
        ad_cairo_translate(cairo, rect.origin.x, rect.origin.y)
        ad_cairo_scale(
          cairo,
          rect.size.width / Double(bitmap.pixels.width),
          rect.size.height / Double(bitmap.pixels.height)
        )
        ad_cairo_set_source_surface(cairo, surface, 0, 0)
        // If the surface failed, Cairo creates a source pattern that is never
        // freed.
        if ad_cairo_status(cairo) == ad_cairo_status_success,
          let source = ad_cairo_get_source(cairo)
        {
          ad_cairo_pattern_set_filter(source, ad_cairo_good)
          // Without padding, the edges of an enlarged bitmap would fade out.
          ad_cairo_pattern_set_extend(source, ad_cairo_pad)
        }
        try inBands(isCancelled) { ad_cairo_paint_with_alpha(cairo, alpha) }
      }
    }
  }
}

extension Bitmap {
  /// Creates a bitmap and draws into it on the calling thread.
  ///
  /// Call from any thread. Suitable for bitmaps that are drawn once and shown
  /// often, such as placeholders.
  ///
  /// - Parameters:
  ///   - pixels: The size in pixels.
  ///   - scale: The number of pixels per point. `body` draws in points.
  ///   - pool: The pool that provides the memory.
  ///   - body: Draws the bitmap.
  /// - Throws: `DisplayError` if there is not enough memory or Cairo fails, or
  ///   an error that `body` throws.
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
