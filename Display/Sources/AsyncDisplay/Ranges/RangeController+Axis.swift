extension RangeController {
  /// The scroll direction.
  public enum Axis: Hashable, Sendable {
    /// The content scrolls left and right.
    case horizontal
    /// The content scrolls up and down.
    case vertical
  }
}
