/// The coverage of the pixels of a rounded top left corner.
struct CornerMask {
  let radius: Int
  /// The coverage of each pixel, from 0 to 255, row by row.
  let coverage: [UInt8]

  /// Computes the mask of a corner of `radius` pixels.
  init(radius: Int) {
    self.radius = radius
    var coverage: [UInt8] = []
    coverage.reserveCapacity(radius * radius)
    for y in 0..<radius {
      for x in 0..<radius { coverage.append(Self.coverage(x, y, radius)) }
    }
    self.coverage = coverage
  }

  // Counts the points inside the circle, of 8 by 8 points in the pixel.
  private static func coverage(_ x: Int, _ y: Int, _ radius: Int) -> UInt8 {
    var inside = 0
    for down in 0..<8 {
      for across in 0..<8 {
        let (dx, dy) = (16 * (radius - x) - 2 * across - 1, 16 * (radius - y) - 2 * down - 1)
        if dx * dx + dy * dy <= 256 * radius * radius { inside += 1 }
      }
    }
    return UInt8(inside * 255 / 64)
  }
}
