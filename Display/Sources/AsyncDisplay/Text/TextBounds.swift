import CDisplayPango

/// The space that remains for further lines.
struct TextBounds {
  private let lowest: Double
  private var left: Int
  private var top = 0.0

  /// Creates space for `lineLimit` lines within `height`, which may be
  /// infinite.
  init(lineLimit: Int, height: Double) {
    // A line that exceeds the height by up to 1/100 point still fits, because
    // the excess is a rounding error.
    lowest = height.isFinite ? height + 0.01 : .infinity
    left = lineLimit
  }

  /// Takes space for the next line, whose rectangle is `line`. Returns false if
  /// the line does not fit.
  mutating func admit(_ line: ad_pango_rect_t) -> Bool {
    let y = Double(line.y)
    // Pango's coordinates wrap around above two million points.
    guard left > 0, abs(y - top) < 0x1p31 else { return false }
    (top, left) = (y, left - 1)
    return (y + Double(line.height)) / Double(ad_pango_scale) <= lowest
  }
}
