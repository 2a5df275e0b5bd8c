/// How an image fills a node.
///
/// Corresponds to UIKit's `UIView.ContentMode`.
public enum ContentMode: Hashable, Sendable {
  /// The image is scaled to the node's size, and may be distorted.
  case scale
  /// The whole image is shown, centred and as large as the node allows.
  case aspectFit
  /// The image covers the node. It is centred and cropped.
  case aspectFill
  /// One image pixel covers one screen pixel. The image is centred and cropped.
  case center

  /// Returns the rectangle in which to draw an image of `pixels`. `size` is the
  /// node's size in points, and `scale` is the number of pixels per point.
  func rect(of pixels: PixelSize, in size: Size, scale: Double) -> Rect {
    let (wide, high) = (Double(pixels.width), Double(pixels.height))
    let (across, down) = (size.width / wide, size.height / high)
    switch self {
    case .scale: return Rect(size: size)
    case .aspectFit: return Self.middle(of: size, wide, high, times: min(across, down))
    case .aspectFill: return Self.middle(of: size, wide, high, times: max(across, down))
    case .center: return Self.middle(of: size, wide, high, times: 1 / scale)
    }
  }

  private static func middle(
    of size: Size,
    _ wide: Double,
    _ high: Double,
    times factor: Double
  ) -> Rect {
    let (width, height) = (wide * factor, high * factor)
    return Rect(
      x: (size.width - width) / 2,
      y: (size.height - height) / 2,
      width: width,
      height: height
    )
  }
}
