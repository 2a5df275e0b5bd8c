extension RangeController {
  /// Which way the content scrolls.
  public enum Axis: Hashable, Sendable {
    /// Left and right.
    case horizontal
    /// Up and down.
    case vertical
  }
}
