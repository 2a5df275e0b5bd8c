/// One display's drawing: all that a worker is told. The same for synchronous and
/// asynchronous displays, so that both make the same bytes. D14.
package struct Drawing: Sendable {
  let pixels: PixelSize
  let size: Size
  let scale: Double
  let isOpaque: Bool
  let backgroundColor: Color?
  let body: DisplayTask.Display

  /// What `body` draws in `size`, over white and `backgroundColor` where it is opaque.
  package init(
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

  /// Draws, on the calling thread.
  ///
  /// - Throws: A `CancellationError` once `isCancelled` says so; why it failed.
  package func draw(from pool: BitmapPool, isCancelled: () -> Bool) throws -> Bitmap {
    // Before there is memory: what was cancelled while it waited costs none.
    if isCancelled() { throw CancellationError() }
    // What is opaque is painted all over first.
    let bitmap =
      isOpaque
      ? try Bitmap(uninitialized: pixels, scale: scale, from: pool)
      : try Bitmap(pixels, scale: scale, from: pool, isCancelled: isCancelled)
    try DrawingContext.draw(into: bitmap) { context in
      try context.inBands(isCancelled) { fillBackground(context) }
      try context.saved { try body(context, size, isCancelled) }
    }
    // Here, not on the loop: the memory goes back on this thread.
    if isCancelled() { throw CancellationError() }
    return bitmap
  }

  // D6: white shines through a colour that does not cover, or is none.
  private func fillBackground(_ context: DrawingContext) {
    guard isOpaque else { return }
    if backgroundColor.map({ !($0.alpha >= 1) }) ?? true { context.fill(with: .white) }
    if let backgroundColor { context.fill(with: backgroundColor) }
  }
}
