/// The values that a worker needs to draw one display. Synchronous and
/// asynchronous displays share this type, so both produce the same bytes. D14.
struct Drawing: Sendable {
  let pixels: PixelSize
  let size: Size
  let scale: Double
  let isOpaque: Bool
  let backgroundColor: Color?
  let body: DisplayTask.Display

  /// Creates a drawing of `body` in `size`. An opaque drawing is first filled
  /// with white and `backgroundColor`.
  init(
    pixels: PixelSize,
    size: Size,
    scale: Double,
    isOpaque: Bool,
    backgroundColor: Color?,
    body: @escaping DisplayTask.Display
  ) {
    (self.pixels, self.size, self.scale) = (pixels, size, scale)
    (self.isOpaque, self.backgroundColor, self.body) = (isOpaque, backgroundColor, body)
  }

  /// Draws on the calling thread.
  ///
  /// - Throws: `CancellationError` once `isCancelled` returns true, or an error
  ///   that occurred while drawing.
  func draw(from pool: BitmapPool, isCancelled: () -> Bool) throws -> Bitmap {
    // Checked before allocating: a display that was cancelled while it waited
    // costs no memory.
    if isCancelled() { throw CancellationError() }
    // An opaque drawing is filled first, so its memory does not have to be
    // cleared.
    let bitmap =
      isOpaque
      ? try Bitmap(uninitialized: pixels, scale: scale, from: pool)
      : try Bitmap(pixels, scale: scale, from: pool, isCancelled: isCancelled)
    try DrawingContext.draw(into: bitmap) { context in
      try context.inBands(isCancelled) { fillBackground(context) }
      try context.saved { try body(context, size, isCancelled) }
    }
    // Checked here rather than on the loop, so that this thread returns the
    // memory.
    if isCancelled() { throw CancellationError() }
    return bitmap
  }

  // D6: white shows through a translucent or missing background colour.
  private func fillBackground(_ context: DrawingContext) {
    guard isOpaque else { return }
    if backgroundColor.map({ !($0.alpha >= 1) }) ?? true { context.fill(with: .white) }
    if let backgroundColor { context.fill(with: backgroundColor) }
  }
}
