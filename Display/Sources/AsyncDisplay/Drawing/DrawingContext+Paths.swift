import CCairo

// Rectangles, as Cairo can take them: its places are 24 bits of pixels, and it looks for
// how many parts an arc has as long as that is large.
extension DrawingContext {
  // Pixels beyond what is seen, further than which no edge is.
  private static let farthest = 4_194_304.0
  // What is rounder is as round as this, in pixels.
  private static let roundest = 1_048_576.0

  /// Begins a path around `rect`: none if that is not valid. Of what is out of sight only
  /// so much is there as makes no difference.
  func addPath(_ rect: Rect, radius: Double) {
    cairo_new_path(cairo)
    guard rect.isValid, let far = points(Self.farthest), let rect = cut(rect, at: far) else {
      return
    }
    let (x, y, right, bottom) = (rect.origin.x, rect.origin.y, rect.maxX, rect.maxY)
    let roundest = far * (Self.roundest / Self.farthest)
    let radius = min(radius, rect.size.width / 2, rect.size.height / 2, roundest)
    guard radius > 0 else {
      return cairo_rectangle(cairo, x, y, rect.size.width, rect.size.height)
    }
    let quarter = Double.pi / 2
    cairo_new_sub_path(cairo)
    cairo_arc(cairo, right - radius, y + radius, radius, -quarter, 0)
    cairo_arc(cairo, right - radius, bottom - radius, radius, 0, quarter)
    cairo_arc(cairo, x + radius, bottom - radius, radius, quarter, 2 * quarter)
    cairo_arc(cairo, x + radius, y + radius, radius, 2 * quarter, 3 * quarter)
    cairo_close_path(cairo)
  }

  // So many pixels, in points of the place that is drawn in.
  private func points(_ pixels: Double) -> Double? {
    var matrix = cairo_matrix_t()
    cairo_get_matrix(cairo, &matrix)
    let across = (matrix.xx * matrix.xx + matrix.yx * matrix.yx).squareRoot()
    let down = (matrix.xy * matrix.xy + matrix.yy * matrix.yy).squareRoot()
    let points = pixels / max(across, down)
    return points.isFinite && points > 0 ? points : nil
  }

  // `rect` itself where no edge is far. Nil: none of it is near.
  private func cut(_ rect: Rect, at far: Double) -> Rect? {
    var (left, top, right, bottom) = (0.0, 0.0, 0.0, 0.0)
    cairo_clip_extents(cairo, &left, &top, &right, &bottom)
    (left, top, right, bottom) = (left - far, top - far, right + far, bottom + far)
    let (x, y) = (rect.origin.x, rect.origin.y)
    if x >= left, y >= top, rect.maxX <= right, rect.maxY <= bottom { return rect }
    let (nearX, nearY) = (max(x, left), max(y, top))
    let near = Rect(
      x: nearX,
      y: nearY,
      width: min(rect.maxX, right) - nearX,
      height: min(rect.maxY, bottom) - nearY
    )
    return near.isValid ? near : nil
  }
}
