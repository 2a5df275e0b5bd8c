import CDisplayCairo

// Rectangles within Cairo's limits. Cairo stores a pixel coordinate with 24
// bits for the whole pixels. The time that Cairo needs to divide an arc into
// segments grows with the radius.
extension DrawingContext {
  // The maximum distance of an edge outside the clip, in pixels.
  private static let farthest = 4_194_304.0
  // The largest radius, in pixels.
  private static let roundest = 1_048_576.0

  /// Starts a path around `rect`, or an empty path if `rect` is not valid. Cuts
  /// off parts of `rect` that are far outside the clip, if this does not change
  /// the result.
  func addPath(_ rect: Rect, radius: Double) {
    ad_cairo_new_path(cairo)
    guard rect.isValid, let far = points(Self.farthest), let rect = cut(rect, at: far) else {
      return
    }
    let (x, y, right, bottom) = (rect.origin.x, rect.origin.y, rect.maxX, rect.maxY)
    let roundest = far * (Self.roundest / Self.farthest)
    let radius = min(radius, rect.size.width / 2, rect.size.height / 2, roundest)
    guard radius > 0 else {
      return ad_cairo_rectangle(cairo, x, y, rect.size.width, rect.size.height)
    }
    let quarter = Double.pi / 2
    ad_cairo_new_sub_path(cairo)
    ad_cairo_arc(cairo, right - radius, y + radius, radius, -quarter, 0)
    ad_cairo_arc(cairo, right - radius, bottom - radius, radius, 0, quarter)
    ad_cairo_arc(cairo, x + radius, bottom - radius, radius, quarter, 2 * quarter)
    ad_cairo_arc(cairo, x + radius, y + radius, radius, 2 * quarter, 3 * quarter)
    ad_cairo_close_path(cairo)
  }

  // Converts a number of pixels to points in the current coordinates.
  private func points(_ pixels: Double) -> Double? {
    var matrix = ad_cairo_matrix_t()
    ad_cairo_get_matrix(cairo, &matrix)
    let across = (matrix.xx * matrix.xx + matrix.yx * matrix.yx).squareRoot()
    let down = (matrix.xy * matrix.xy + matrix.yy * matrix.yy).squareRoot()
    let points = pixels / max(across, down)
    return points.isFinite && points > 0 ? points : nil
  }

  // Returns `rect` without the parts that are more than `far` outside the clip,
  // or nil if nothing remains.
  private func cut(_ rect: Rect, at far: Double) -> Rect? {
    var (left, top, right, bottom) = (0.0, 0.0, 0.0, 0.0)
    ad_cairo_clip_extents(cairo, &left, &top, &right, &bottom)
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
