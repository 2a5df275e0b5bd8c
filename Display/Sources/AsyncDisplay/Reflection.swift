// What `dump`, a debugger and a test's failure show. Without these they would reflect
// the atomics behind, at which Swift's own reflection traps.

extension Layer: CustomReflectable {
  /// Its size, what it shows, and how far it is.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "bounds": bounds,
        "contents": contents?.pixels as Any,
        "state": core.state,
      ]
    )
  }
}

extension Display: CustomReflectable {
  /// What it has displayed.
  public var customMirror: Mirror { Mirror(self, children: ["metrics": metrics]) }
}

extension Sentinel: CustomReflectable {
  /// Its value.
  public var customMirror: Mirror { Mirror(self, children: ["value": value]) }
}

extension Bitmap: CustomReflectable {
  /// Its size.
  public var customMirror: Mirror { Mirror(self, children: ["pixels": pixels, "scale": scale]) }
}

extension BitmapPool: CustomReflectable {
  /// What it has lent.
  public var customMirror: Mirror { Mirror(self, children: ["metrics": metrics]) }
}
