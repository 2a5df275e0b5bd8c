/// A node filled with a linear gradient.
open class GradientNode: Node {
  /// The gradient, or nil for no gradient.
  public var gradient: Gradient? {
    didSet { if gradient != oldValue { setNeedsDisplay() } }
  }

  /// Returns a closure that draws the gradient. An override need not call `super`.
  override open func makeDrawing() -> DisplayTask.Display? {
    guard let gradient, !gradient.stops.isEmpty else { return nil }
    return { context, size, isCancelled in
      try context.fill(Rect(size: size), with: gradient, isCancelled: isCancelled)
    }
  }
}
