/// A step of drawing a node and its subnodes into a bitmap.
///
/// Steps are collected on the loop and performed on a worker, which checks for
/// cancellation between steps.
enum RasterStep: Sendable {
  /// Begins a node. Sets the node's position, clip and opacity for the
  /// following steps.
  case begin(Placement)
  /// Draws the node, or its background, into a rectangle within its bounds.
  case draw(DisplayTask.Display, Rect)
  /// Clips the following steps of the node.
  case clip(Rect, radius: Double)
  /// Ends a node after all its subnodes were drawn.
  case end(Placement)

  /// The position and appearance of a node in its supernode.
  struct Placement: Sendable {
    var origin: Point
    var size: Size
    var alpha: Double
    var clips: Bool
    var cornerRadius: Double
    var background: Color?

    /// Whether the node and its subnodes are drawn into a group, which is then
    /// composited as a whole.
    var isGroup: Bool { alpha < 1 }
  }

  /// Performs the step.
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
    // The group begins after the clip, so that the group is no larger than its
    // visible part.
    if placement.isGroup { context.beginGroup() }
    if let background = placement.background { context.fill(bounds, with: background) }
  }

  /// Returns a closure that performs `steps`, or nil if there are no steps. The
  /// closure throws if it is cancelled.
  static func drawing(_ steps: [RasterStep]) -> DisplayTask.Display? {
    if steps.isEmpty { return nil }
    return { context, _, isCancelled in
      for step in steps {
        // Cairo discards open groups with the context.
        if isCancelled() { throw CancellationError() }
        try step.perform(in: context, isCancelled: isCancelled)
      }
    }
  }
}
