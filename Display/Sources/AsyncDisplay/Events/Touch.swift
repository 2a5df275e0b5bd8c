/// A finger, or a pointer that is pressed, at one moment.
public struct Touch: Hashable, Sendable {
  /// Where it is, in the coordinates of the node that it is handed to.
  public var location: Point

  /// How many taps came shortly after each other, this one included.
  public var tapCount: Int

  /// A touch at `location`.
  public init(at location: Point, tapCount: Int = 1) {
    self.location = location
    self.tapCount = tapCount
  }
}
