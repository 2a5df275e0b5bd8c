import CDisplayCairo

// Filling and stroking.
extension DrawingContext {
  /// Fills `rect`, with corners of `radius`, with `color`. Draws nothing if
  /// `rect` is not valid.
  public func fill(_ rect: Rect, radius: Double = 0, with color: Color) {
    setSource(color)
    addPath(rect, radius: radius)
    ad_cairo_fill(cairo)
  }

  /// Fills the whole clip region with `color`.
  public func fill(with color: Color) {
    setSource(color)
    ad_cairo_paint(cairo)
  }

  /// Draws a line of `width` along the inside of `rect`. Draws nothing if
  /// `rect` is not valid.
  public func stroke(_ rect: Rect, radius: Double = 0, width: Double, with color: Color) {
    guard width > 0, width.isFinite else { return }
    let inner = Rect(
      x: rect.origin.x + width / 2,
      y: rect.origin.y + width / 2,
      width: max(0, rect.size.width - width),
      height: max(0, rect.size.height - width)
    )
    setSource(color)
    ad_cairo_set_line_width(cairo, width)
    addPath(inner, radius: max(0, radius - width / 2))
    ad_cairo_stroke(cairo)
  }

  /// Fills `rect` with `gradient`, scaled to the rectangle. `isCancelled` is
  /// called every 32 rows of pixels.
  ///
  /// - Throws: `CancellationError` once `isCancelled` returns true.
  public func fill(
    _ rect: Rect,
    with gradient: Gradient,
    isCancelled: () -> Bool = { false }
  ) throws {
    func place(_ unit: Point) -> Point {
      Point(
        x: rect.origin.x + unit.x * rect.size.width,
        y: rect.origin.y + unit.y * rect.size.height
      )
    }
    let (start, end) = (place(gradient.start), place(gradient.end))
    guard let pattern = ad_cairo_pattern_create_linear(start.x, start.y, end.x, end.y) else {
      return
    }
    defer { ad_cairo_pattern_destroy(pattern) }
    for stop in gradient.stops {
      let color = stop.color
      ad_cairo_pattern_add_color_stop_rgba(
        pattern,
        stop.offset,
        color.red,
        color.green,
        color.blue,
        color.alpha
      )
    }
    ad_cairo_set_source(cairo, pattern)
    try inBands(isCancelled) {
      addPath(rect, radius: 0)
      ad_cairo_fill(cairo)
    }
  }

  func setSource(_ color: Color) {
    ad_cairo_set_source_rgba(cairo, color.red, color.green, color.blue, color.alpha)
  }
}
