/// One step of drawing a node and its parts into a bitmap.
///
/// Collected on the loop, made on a worker, which asks whether it is cancelled between
/// two.
enum RasterStep: Sendable {
  /// A node begins: what follows is drawn at its place, clipped and as opaque as it is.
  case begin(Placement)
  /// A node draws itself, or what is behind it, into a place within its bounds.
  case draw(DisplayTask.Display, Rect)
  /// What follows of a node is clipped.
  case clip(Rect, radius: Double)
  /// A node, and all of its parts, have been drawn.
  case end(Placement)

  /// Where and how a node is drawn in its supernode.
  struct Placement: Sendable {
    var origin: Point
    var size: Size
    var alpha: Double
    var clips: Bool
    var cornerRadius: Double
    var background: Color?

    /// Whether its parts are drawn apart, to be laid over what is there at once.
    var isGroup: Bool { alpha < 1 }
  }

  /// Makes the step.
  func perform(in context: DrawingContext, isCancelled: () -> Bool) throws {
    switch self {
    case .begin(let placement): Self.begin(placement, in: context)
    case .draw(let drawing, let rect):
      try context.saved {
        if rect.origin != .zero { context.translate(x: rect.origin.x, y: rect.origin.y) }
        try drawing(context, rect.size, isCancelled)
      }
    case .clip(let rect, let radius): context.clip(to: rect, radius: radius)
    case .end(let placement):
      if placement.isGroup { context.endGroup(alpha: placement.alpha) }
      context.restore()
    }
  }

  private static func begin(_ placement: Placement, in context: DrawingContext) {
    let bounds = Rect(size: placement.size)
    context.save()
    if placement.origin != .zero { context.translate(x: placement.origin.x, y: placement.origin.y) }
    if placement.clips || placement.cornerRadius > 0 {
      context.clip(to: bounds, radius: placement.cornerRadius)
    }
    // Behind the clip: the group is no larger than what is seen of it.
    if placement.isGroup { context.beginGroup() }
    if let background = placement.background { context.fill(bounds, with: background) }
  }

  /// What makes all of `steps`, until cancelled; nil if there are none.
  static func drawing(_ steps: [RasterStep]) -> DisplayTask.Display? {
    if steps.isEmpty { return nil }
    return { context, _, isCancelled in
      for step in steps {
        // What is open is dropped with the context.
        if isCancelled() { throw CancellationError() }
        try step.perform(in: context, isCancelled: isCancelled)
      }
    }
  }
}
