import CCairo

// What takes long, in steps between which it can be cancelled.
extension DrawingContext {
  // Rows of pixels: a third of a millisecond of what is interpolated across 1,000.
  private static let bandRows = 32.0

  /// Calls `body` once for each band of rows that the clip reaches, cut to that band.
  ///
  /// Bands are whole pixels, so that what is drawn has the bytes that one step would
  /// have given it. `isCancelled` is asked before each. D-31.
  ///
  /// - Throws: A `CancellationError` once `isCancelled` says so.
  func inBands(_ isCancelled: () -> Bool, _ body: () -> Void) throws {
    var matrix = cairo_matrix_t()
    cairo_get_matrix(cairo, &matrix)
    var (left, top, right, bottom) = (0.0, 0.0, 0.0, 0.0)
    cairo_identity_matrix(cairo)
    cairo_clip_extents(cairo, &left, &top, &right, &bottom)
    cairo_set_matrix(cairo, &matrix)
    (left, right) = (left.rounded(.down), right.rounded(.up))
    for row in stride(from: top.rounded(.down), to: bottom, by: Self.bandRows) {
      if isCancelled() { throw CancellationError() }
      saved {
        cairo_identity_matrix(cairo)
        cairo_new_path(cairo)
        cairo_rectangle(cairo, left, row, right - left, Self.bandRows)
        cairo_clip(cairo)
        cairo_set_matrix(cairo, &matrix)
        body()
      }
    }
  }
}
