import CDisplayCairo

// Long drawing operations, split into bands so that they can be cancelled.
extension DrawingContext {
  // The height of a band in rows of pixels. Interpolating 32 rows of 1,000
  // pixels takes about 0.3 ms.
  private static let bandRows = 32.0

  /// Calls `body` once for each band of rows that overlaps the clip. During the
  /// call the clip is reduced to that band.
  ///
  /// Bands consist of whole pixels, so the result has the same bytes as drawing
  /// in one step. `isCancelled` is called before each band.
  ///
  /// - Throws: `CancellationError` once `isCancelled` returns true.
  func inBands(_ isCancelled: () -> Bool, _ body: () -> Void) throws {
    var matrix = ad_cairo_matrix_t()
    ad_cairo_get_matrix(cairo, &matrix)
    var (left, top, right, bottom) = (0.0, 0.0, 0.0, 0.0)
    ad_cairo_identity_matrix(cairo)
    ad_cairo_clip_extents(cairo, &left, &top, &right, &bottom)
    ad_cairo_set_matrix(cairo, &matrix)
    (left, right) = (left.rounded(.down), right.rounded(.up))
    for row in stride(from: top.rounded(.down), to: bottom, by: Self.bandRows) {
      if isCancelled() { throw CancellationError() }
      saved {
        ad_cairo_identity_matrix(cairo)
        ad_cairo_new_path(cairo)
        ad_cairo_rectangle(cairo, left, row, right - left, Self.bandRows)
        ad_cairo_clip(cairo)
        ad_cairo_set_matrix(cairo, &matrix)
        body()
      }
    }
  }
}
