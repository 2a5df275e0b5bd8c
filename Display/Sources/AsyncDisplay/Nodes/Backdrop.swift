/// The background of a canvas, as a value that can be drawn on a worker.
///
/// Each stage of the drawing restores the context before the next stage, so
/// that no clip or offset affects later stages.
struct Backdrop: Sendable {
  /// The rectangle of the canvas within its node.
  let rect: Rect
  let radius: Double
  let color: Color?
  let border: Border?
  let shadow: TextStyle.Shadow?
  let image: Bitmap?
  let mode: ContentMode

  /// Draws the background.
  @Sendable
  func draw(_ context: DrawingContext, _: Size, _ isCancelled: () -> Bool) throws {
    guard rect.size.width > 0, rect.size.height > 0 else { return }
    try shadow?.draw(of: rect, in: context, isCancelled) {
      $0.fill(Rect(size: rect.size), radius: radius, with: shadow?.color ?? .clear)
    }
    if let color { context.fill(rect, radius: radius, with: color) }
    if let image { try draw(image, in: context, isCancelled) }
    guard let border, border.width.isFinite else { return }
    let width = min(border.width, rect.size.width / 2, rect.size.height / 2)
    context.stroke(rect, radius: radius, width: width, with: border.color)
  }

  private func draw(
    _ image: Bitmap,
    in context: DrawingContext,
    _ isCancelled: () -> Bool
  ) throws {
    try context.saved {
      context.clip(to: rect, radius: radius)
      context.translate(x: rect.origin.x, y: rect.origin.y)
      let place = mode.rect(of: image.pixels, in: rect.size, scale: context.scale)
      try context.draw(image, in: place, isCancelled: isCancelled)
    }
  }
}
