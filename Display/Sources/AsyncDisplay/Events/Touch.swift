/// A finger or a pressed pointer at one moment.
public struct Touch: Hashable, Sendable {
  /// The position in the coordinates of the node that receives the touch.
  public var location: Point

  /// The number of taps in quick succession, including this one.
  public var tapCount: Int

  /// Creates a touch.
  public init(at location: Point, tapCount: Int = 1) {
    self.location = location
    self.tapCount = tapCount
  }
}
