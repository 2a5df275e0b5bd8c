// Mirrors for `dump`, debuggers and failed expectations. Swift's own reflection
// would reach the atomics inside these types and trap.

extension Layer: CustomReflectable {
  /// The layer's size, contents and display state.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "size": size,
        "contents": contents?.pixels as Any,
        "state": core.state,
      ]
    )
  }
}

extension Display: CustomReflectable {
  /// The display's metrics.
  public var customMirror: Mirror { Mirror(self, children: ["metrics": metrics]) }
}

extension Bitmap: CustomReflectable {
  /// The bitmap's size and scale.
  public var customMirror: Mirror { Mirror(self, children: ["pixels": pixels, "scale": scale]) }
}

extension BitmapPool: CustomReflectable {
  /// The pool's metrics.
  public var customMirror: Mirror { Mirror(self, children: ["metrics": metrics]) }
}
