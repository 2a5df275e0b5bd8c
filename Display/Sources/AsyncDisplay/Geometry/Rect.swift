/// A rectangle, in points.
public struct Rect: Hashable, Sendable {
  /// Its top left corner.
  public var origin: Point
  /// Its width and height.
  public var size: Size

  /// The rectangle of `size` at `origin`.
  public init(origin: Point = .zero, size: Size) {
    self.origin = origin
    self.size = size
  }

  /// The rectangle at `x` and `y`.
  public init(x: Double, y: Double, width: Double, height: Double) {
    self.init(origin: Point(x: x, y: y), size: Size(width: width, height: height))
  }

  /// Nothing, at the top left.
  public static let zero = Rect(size: .zero)

  /// Its middle, rightwards.
  public var midX: Double { origin.x + size.width / 2 }
  /// Its middle, downwards.
  public var midY: Double { origin.y + size.height / 2 }
  /// Its right edge.
  public var maxX: Double { origin.x + size.width }
  /// Its bottom edge.
  public var maxY: Double { origin.y + size.height }

  /// Whether every number of it is finite, and no length negative.
  public var isValid: Bool {
    origin.x.isFinite && origin.y.isFinite && size.width.isFinite && size.height.isFinite
      && size.width >= 0 && size.height >= 0
  }
}

extension Rect {
  /// The smallest rectangle around both.
  func joined(to other: Rect) -> Rect {
    let (x, y) = (min(origin.x, other.origin.x), min(origin.y, other.origin.y))
    return Rect(x: x, y: y, width: max(maxX, other.maxX) - x, height: max(maxY, other.maxY) - y)
  }
}
