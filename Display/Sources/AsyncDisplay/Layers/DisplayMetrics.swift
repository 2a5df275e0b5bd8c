/// What the layers of a loop have displayed so far.
public struct DisplayMetrics: Hashable, Sendable {
  /// Displays that began: as many as will ever be told.
  public var begun = 0
  /// Displays that were shown.
  public var displayed = 0
  /// Displays that had nothing to draw.
  public var cleared = 0
  /// Displays that were cancelled, or overtaken.
  public var cancelled = 0
  /// Displays that failed.
  public var failed = 0
  /// Bytes of bitmaps that are drawn or decoded, or wait to be, or for the loop to take
  /// them.
  public var inFlightBytes = 0
  /// The most bytes that were in flight.
  public var peakInFlightBytes = 0
  /// Layers that wait for the display commit, or for memory.
  public var waiting = 0

  /// Nothing so far.
  public init() {}
}
