import CPango

/// Which lines there is room for, asked from the first on.
struct TextRoom {
  private let lowest: Double
  private var left: Int
  private var top = 0.0

  /// Room for `lineLimit` lines, no lower than `height`, which may be infinite.
  init(lineLimit: Int, height: Double) {
    // A hundredth of a point too much is rounding.
    lowest = height.isFinite ? height + 0.01 : .infinity
    left = lineLimit
  }

  /// Whether there is room for the next line, which is at `line`.
  mutating func take(_ line: PangoRectangle) -> Bool {
    let y = Double(line.y)
    // Past two million points Pango's places begin anew from the other end.
    guard left > 0, abs(y - top) < 0x1p31 else { return false }
    (top, left) = (y, left - 1)
    return (y + Double(line.height)) / Double(ad_pango_scale) <= lowest
  }
}
