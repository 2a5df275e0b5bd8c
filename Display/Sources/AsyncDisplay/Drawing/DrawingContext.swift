import CCairo

/// Where a display draws: a bitmap, in points from its top left.
///
/// Made for one display, and used on its thread, until the closure it was handed to
/// returns; one that is kept draws nothing from then on. What it has no method for is
/// drawn by Cairo itself, on `cairo`.
public final class DrawingContext {
  /// The `cairo_t` that draws, for who links Cairo. Of the context: not to be kept
  /// without it.
  public let cairo: OpaquePointer

  /// Pixels a point.
  public let scale: Double

  /// Where bitmaps that are made on the way come from.
  public let pool: BitmapPool

  private init(cairo: OpaquePointer, scale: Double, pool: BitmapPool) {
    self.cairo = cairo
    self.scale = scale
    self.pool = pool
  }

  deinit { cairo_destroy(cairo) }

  /// Draws into `bitmap`, which nobody else has.
  static func draw(
    into bitmap: Bitmap,
    _ body: (DrawingContext) throws -> Void
  ) throws {
    try bitmap.withSurface { surface in
      guard let cairo = cairo_create(surface) else { throw DisplayError.cairo("no context") }
      // Whoever keeps it keeps Cairo's: the surface is finished when this returns, and
      // whatever is drawn on it later fails.
      let context = DrawingContext(cairo: cairo, scale: bitmap.scale, pool: bitmap.pool)
      cairo_scale(cairo, bitmap.scale, bitmap.scale)
      try context.check()
      try body(context)
      try context.check()
      cairo_surface_flush(surface)
    }
  }

  /// Throws what Cairo says if it failed.
  func check() throws(DisplayError) {
    let status = cairo_status(cairo)
    guard status != ad_cairo_status_success else { return }
    throw .cairo(String(cString: cairo_status_to_string(status)))
  }
}

// What is drawn through.
extension DrawingContext {
  /// Runs `body`, and undoes what it did to the place, the clip and the like.
  public func saved<Result>(_ body: () throws -> Result) rethrows -> Result {
    save()
    defer { restore() }
    return try body()
  }

  /// Draws what follows `x` to the right and `y` downwards.
  public func translate(x: Double, y: Double) { cairo_translate(cairo, x, y) }

  /// Draws what follows so much larger.
  ///
  /// - Precondition: Neither is zero.
  public func scale(x: Double, y: Double) { cairo_scale(cairo, x, y) }

  /// Draws what follows only within `rect`, with corners of `radius`.
  public func clip(to rect: Rect, radius: Double = 0) {
    addPath(rect, radius: radius)
    cairo_clip(cairo)
  }

  func save() { cairo_save(cairo) }

  func restore() { cairo_restore(cairo) }

  /// Draws what follows apart, until `endGroup`.
  func beginGroup() { cairo_push_group(cairo) }

  /// Draws the group, as opaque as `alpha`.
  func endGroup(alpha: Double) {
    cairo_pop_group_to_source(cairo)
    cairo_paint_with_alpha(cairo, alpha)
  }
}

extension Bitmap {
  /// Calls `body` with a surface of this thread's own over the pixels.
  func withSurface<Result>(_ body: (OpaquePointer) throws -> Result) throws -> Result {
    let surface = cairo_image_surface_create_for_data(
      bytes,
      ad_cairo_argb32,
      Int32(pixels.width),
      Int32(pixels.height),
      Int32(pixels.stride)
    )
    guard let surface else { throw DisplayError.cairo("no surface") }
    defer {
      // Whoever still refers to it finds no pixels: they may be gone by then.
      cairo_surface_finish(surface)
      cairo_surface_destroy(surface)
    }
    let status = cairo_surface_status(surface)
    guard status == ad_cairo_status_success else {
      throw DisplayError.cairo(String(cString: cairo_status_to_string(status)))
    }
    return try body(surface)
  }
}
