/// The number of pixels per point of a screen that measures windows in pixels.
package enum ScreenScale {
  /// Returns a scale from 1 to 4, from the first source that has a valid value.
  ///
  /// - Parameters:
  ///   - variable: The value of `GDK_SCALE`, which users set for all programs.
  ///   - resource: The X resource `Xft.dpi`, which desktops set to 96 times
  ///     their scale. It is rounded to quarters.
  ///   - dots: The measured dots per inch. They are rounded down to halves of
  ///     96, so that a laptop screen of 118 dots per inch has one pixel per
  ///     point, and one of 227 has two.
  package static func scale(variable: String?, resource: String?, dots: Double?) -> Double {
    if let scale = positive(variable) { return min(max(scale, 1), 4) }
    if let dots = positive(resource) { return min(max((dots / 96 * 4).rounded() / 4, 1), 4) }
    guard let dots, dots.isFinite else { return 1 }
    return min(max((dots / 96 * 2).rounded(.down) / 2, 1), 4)
  }

  private static func positive(_ text: String?) -> Double? {
    text.flatMap { Double($0) }.flatMap { $0.isFinite && $0 > 0 ? $0 : nil }
  }
}
