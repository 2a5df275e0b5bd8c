/// A width and a height, in points.
public struct Size: Hashable, Sendable {
  /// How wide.
  public var width: Double
  /// How high.
  public var height: Double

  /// So wide and so high. Anything is allowed: what is drawn checks it.
  public init(width: Double, height: Double) {
    self.width = width
    self.height = height
  }

  /// Nothing.
  public static let zero = Size(width: 0, height: 0)
}
