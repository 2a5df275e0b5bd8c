package import AsyncDisplay
import CardFeed

/// The size of a window's surface, in pixels and in points.
package struct WindowSize: Hashable, Sendable {
  package let pixels: PixelSize
  package let points: Size
  /// The number of pixels per point.
  package let scale: Double

  /// - Parameters:
  ///   - surface: The width and height of the surface in pixels.
  ///   - units: The width of the window in the units of the screen, which are
  ///     pixels in X11 and points elsewhere.
  ///   - density: The number of units per point.
  package init(surface: (width: Int, height: Int), units: Int, density: Double) {
    pixels = PixelSize(width: max(1, surface.width), height: max(1, surface.height))
    scale = Double(pixels.width) / Double(max(1, units)) * density
    points = Size(width: Double(pixels.width) / scale, height: Double(pixels.height) / scale)
  }

  /// Returns the size in points of a new window on a screen.
  ///
  /// - Parameters:
  ///   - usable: The width and height of the screen in units, without panels.
  ///   - density: The number of units per point.
  package static func fitting(_ usable: (width: Int, height: Int), density: Double) -> Size {
    let (width, height) = (Double(usable.width) / density, Double(usable.height) / density)
    return Size(
      width: max(smallest, min(Feed.viewport.width, width)),
      height: max(smallest, min(largestHeight, height - titleBar))
    )
  }

  private static let smallest = 100.0
  private static let largestHeight = 1000.0
  // More than the title bars of GNOME, KDE and Xfce need.
  private static let titleBar = 64.0
}
