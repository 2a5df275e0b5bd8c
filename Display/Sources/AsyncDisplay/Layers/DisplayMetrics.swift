/// Counts of the displays on one loop.
public struct DisplayMetrics: Hashable, Sendable {
  /// The number of displays that have begun. Each of these displays will also
  /// be counted under one of the four outcomes below.
  public var begun = 0
  /// The number of displays that were shown.
  public var displayed = 0
  /// The number of displays that had nothing to draw.
  public var cleared = 0
  /// The number of displays that were cancelled or superseded.
  public var cancelled = 0
  /// The number of displays that failed.
  public var failed = 0
  /// The number of bitmaps in flight. A bitmap is in flight while it waits for a
  /// worker, is being drawn or decoded, or waits for delivery on the loop.
  public var inFlight = 0
  /// The number of bytes of bitmaps in flight.
  public var inFlightBytes = 0
  /// The highest value that `inFlightBytes` has reached.
  public var peakInFlightBytes = 0
  /// The number of layers that wait for the display commit or for memory.
  public var waiting = 0

  /// Creates metrics with all counts zero.
  public init() {}
}
