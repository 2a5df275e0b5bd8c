/// How a picture fills a node.
public enum ContentMode: Hashable, Sendable {
  /// All of it, over all of the node, whatever becomes of its shape.
  case scale
  /// All of it, as large as fits, in the middle.
  case aspectFit
  /// Over all of the node, as small as does that; what is beyond is cut off.
  case aspectFill
  /// In the middle, a pixel a pixel; what is beyond is cut off.
  case center

  /// Where a picture of `pixels` is drawn in `size` points, of `scale` pixels each.
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
