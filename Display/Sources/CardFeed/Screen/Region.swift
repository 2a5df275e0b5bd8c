/// A set of pixels, as rectangles that do not overlap.
///
/// A region of more than `limit` rectangles becomes the rectangle around them,
/// because many small rectangles cost more than the pixels between them. A
/// region therefore contains at least the pixels that were added.
package struct Region: Hashable, Sendable {
  /// The rectangles. None is empty, and no two overlap.
  package private(set) var rects: [PixelRect] = []

  /// The largest number of rectangles. Not measured.
  package static let limit = 24

  /// Creates an empty region.
  package init() {}

  /// Creates a region of one rectangle.
  package init(_ rect: PixelRect) { add(rect) }

  package var isEmpty: Bool { rects.isEmpty }

  /// The smallest rectangle that contains the region.
  package var bounds: PixelRect { rects.reduce(.empty) { $0.union($1) } }

  /// The number of pixels.
  package var area: Int { rects.reduce(0) { $0 + $1.width * $1.height } }

  /// Adds the pixels of `rect`.
  package mutating func add(_ rect: PixelRect) {
    guard !rect.isEmpty, !rects.contains(where: { $0.contains(rect) }) else { return }
    rects.removeAll { rect.contains($0) }
    var parts = [rect]
    for known in rects { parts = parts.flatMap { $0.subtracting(known) } }
    rects += parts
    if rects.count > Self.limit { rects = [bounds] }
  }

  /// Adds the pixels of `other`.
  package mutating func add(_ other: Region) { for rect in other.rects { add(rect) } }

  /// Returns the part within `rect`.
  package func clipped(to rect: PixelRect) -> Region {
    var part = Region()
    part.rects = rects.map { $0.intersection(rect) }.filter { !$0.isEmpty }
    return part
  }

  /// Returns whether the pixel is in the region.
  package func contains(x: Int, y: Int) -> Bool {
    rects.contains { $0.x <= x && x < $0.right && $0.y <= y && y < $0.bottom }
  }
}
