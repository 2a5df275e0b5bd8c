/// A rectangle of whole pixels. The right and the bottom edge are not part of
/// it.
package struct PixelRect: Hashable, Sendable {
  package var x: Int
  package var y: Int
  package var right: Int
  package var bottom: Int

  /// Creates a rectangle. It is empty if an edge is not beyond its opposite.
  package init(x: Int, y: Int, width: Int, height: Int) {
    (self.x, self.y, right, bottom) = (x, y, x + width, y + height)
  }

  /// An empty rectangle.
  package static let empty = PixelRect(x: 0, y: 0, width: 0, height: 0)

  package var width: Int { right - x }
  package var height: Int { bottom - y }
  package var isEmpty: Bool { right <= x || bottom <= y }

  /// Returns the common part, which may be empty.
  package func intersection(_ other: PixelRect) -> PixelRect {
    var part = self
    (part.x, part.y) = (max(x, other.x), max(y, other.y))
    (part.right, part.bottom) = (min(right, other.right), min(bottom, other.bottom))
    return part.isEmpty ? .empty : part
  }

  /// Returns the smallest rectangle that contains both rectangles.
  package func union(_ other: PixelRect) -> PixelRect {
    if isEmpty { return other }
    if other.isEmpty { return self }
    var sum = self
    (sum.x, sum.y) = (min(x, other.x), min(y, other.y))
    (sum.right, sum.bottom) = (max(right, other.right), max(bottom, other.bottom))
    return sum
  }

  /// Returns whether `other` lies within this rectangle.
  package func contains(_ other: PixelRect) -> Bool {
    let isWide = x <= other.x && right >= other.right
    return other.isEmpty || (isWide && y <= other.y && bottom >= other.bottom)
  }

  package func intersects(_ other: PixelRect) -> Bool { !intersection(other).isEmpty }

  /// Returns the parts of this rectangle outside `hole`: at most four
  /// rectangles that do not overlap.
  package func subtracting(_ hole: PixelRect) -> [PixelRect] {
    let hole = intersection(hole)
    guard !hole.isEmpty else { return isEmpty ? [] : [self] }
    let parts = [
      PixelRect(x: x, y: y, width: width, height: hole.y - y),
      PixelRect(x: x, y: hole.y, width: hole.x - x, height: hole.height),
      PixelRect(x: hole.right, y: hole.y, width: right - hole.right, height: hole.height),
      PixelRect(x: x, y: hole.bottom, width: width, height: bottom - hole.bottom),
    ]
    return parts.filter { !$0.isEmpty }
  }
}
