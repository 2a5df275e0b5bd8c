import CDisplayCairo

/// The drawing surface of a display. It draws into a bitmap, in points from the
/// bitmap's top left corner.
///
/// A context belongs to one display and its thread, and is valid until the
/// closure that received it returns. A context that is used after that draws
/// nothing. For drawing operations without a method in this type, pass `cairo`
/// to Cairo's functions.
public final class DrawingContext {
  /// The `cairo_t` of the context, for code that links Cairo. Valid as long as
  /// the context is valid.
  public let cairo: OpaquePointer

  /// The number of pixels per point.
  public let scale: Double

  /// The pool that provides temporary bitmaps.
  public let pool: BitmapPool

  private init(cairo: OpaquePointer, scale: Double, pool: BitmapPool) {
    self.cairo = cairo
    self.scale = scale
    self.pool = pool
  }

  deinit { ad_cairo_destroy(cairo) }

  /// Calls `body` with a context that draws into `bitmap`. The bitmap must not
  /// be shared yet.
  static func draw(
    into bitmap: Bitmap,
    _ body: (DrawingContext) throws -> Void
  ) throws {
    try bitmap.withSurface { surface in
      guard let cairo = ad_cairo_create(surface) else {
        throw DisplayError.cairo("cannot create a context")
      }
      // If a context outlives this call, it retains the `cairo_t`. The surface
      // is finished when this function returns, so later drawing fails.
      let context = DrawingContext(cairo: cairo, scale: bitmap.scale, pool: bitmap.pool)
      ad_cairo_scale(cairo, bitmap.scale, bitmap.scale)
      try context.check()
      try body(context)
      try context.check()
      ad_cairo_surface_flush(surface)
    }
  }

  /// Throws an error if Cairo's status is an error.
  func check() throws(DisplayError) {
    let status = ad_cairo_status(cairo)
    guard status != ad_cairo_status_success else { return }
    throw .cairo(String(cString: ad_cairo_status_to_string(status)))
  }
}

// Graphics state.
extension DrawingContext {
  /// Calls `body`, then restores the coordinates, the clip and the rest of the
  /// graphics state.
  public func saved<Result>(_ body: () throws -> Result) rethrows -> Result {
    save()
    defer { restore() }
    return try body()
  }

  /// Moves the origin by `x` to the right and by `y` downwards.
  public func translate(x: Double, y: Double) { ad_cairo_translate(cairo, x, y) }

  /// Scales the coordinates.
  ///
  /// - Precondition: Neither factor is zero.
  public func scale(x: Double, y: Double) { ad_cairo_scale(cairo, x, y) }

  /// Clips further drawing to `rect`, with corners of `radius`.
  public func clip(to rect: Rect, radius: Double = 0) {
    addPath(rect, radius: radius)
    ad_cairo_clip(cairo)
  }

  func save() { ad_cairo_save(cairo) }

  func restore() { ad_cairo_restore(cairo) }

  /// Redirects further drawing to a group, until `endGroup(alpha:)` is called.
  func beginGroup() { ad_cairo_push_group(cairo) }

  /// Draws the group with the opacity `alpha`.
  func endGroup(alpha: Double) {
    ad_cairo_pop_group_to_source(cairo)
    ad_cairo_paint_with_alpha(cairo, alpha)
  }
}

extension Bitmap {
  /// Calls `body` with a Cairo surface that draws into the pixels. Only this
  /// thread may use the surface.
  func withSurface<Result>(_ body: (OpaquePointer) throws -> Result) throws -> Result {
    let surface = ad_cairo_image_surface_create_for_data(
      bytes,
      ad_cairo_argb32,
      Int32(pixels.width),
      Int32(pixels.height),
      Int32(pixels.stride)
    )
    guard let surface else { throw DisplayError.cairo("cannot create a surface") }
    defer {
      // Finishing the surface detaches the pixels from remaining references to
      // it, because the memory may be reused.
      ad_cairo_surface_finish(surface)
      ad_cairo_surface_destroy(surface)
    }
    let status = ad_cairo_surface_status(surface)
    guard status == ad_cairo_status_success else {
      throw DisplayError.cairo(String(cString: ad_cairo_status_to_string(status)))
    }
    return try body(surface)
  }
}
