/// The size of a bitmap in pixels.
public struct PixelSize: Hashable, Sendable {
  /// The reason why a size is not drawable.
  public enum SizeError: Error, Hashable, Sendable {
    /// A length or the scale is infinite or not a number.
    case notFinite
    /// A length is negative, or the scale is not positive.
    case negative
    /// The size exceeds `longestEdge` or `largestArea`.
    case tooLarge
  }

  /// The number of pixels per row.
  public let width: Int
  /// The number of rows.
  public let height: Int

  /// The largest width or height. Cairo's own limit is 32,767.
  public static let longestEdge = 16_384

  /// The largest number of pixels. A bitmap of this area takes 256 MiB.
  public static let largestArea = 1 << 26

  /// Creates a size.
  ///
  /// - Precondition: Width and height are from 1 to `longestEdge`, and their
  ///   product is at most `largestArea`.
  public init(width: Int, height: Int) {
    require(
      Self.allows(width, height),
      "PixelSize: width and height must be from 1 to \(Self.longestEdge) and their product at most"
        + " \(Self.largestArea), got \(width) x \(height)"
    )
    self.width = width
    self.height = height
  }

  /// Returns whether a size of `width` by `height` pixels is allowed.
  static func allows(_ width: Int, _ height: Int) -> Bool {
    let edges = 1...longestEdge
    return edges ~= width && edges ~= height && width * height <= largestArea
  }

  /// Creates the size that covers `size` points at `scale` pixels per point.
  /// Returns nil if it is less than one pixel wide or high.
  ///
  /// - Throws: `SizeError` if the size is not drawable.
  public init?(_ size: Size, scale: Double) throws(SizeError) {
    guard size.width.isFinite, size.height.isFinite, scale.isFinite else { throw .notFinite }
    guard size.width >= 0, size.height >= 0, scale > 0 else { throw .negative }
    let (wide, high) = (size.width * scale, size.height * scale)
    // Checked before the conversion to Int, which traps if the value is too
    // large.
    let longest = Double(Self.longestEdge)
    guard wide <= longest, high <= longest else { throw .tooLarge }
    guard wide >= 1, high >= 1 else { return nil }
    (width, height) = (Self.pixels(wide), Self.pixels(high))
    guard width * height <= Self.largestArea else { throw .tooLarge }
  }

  /// The number of bytes per row.
  public var stride: Int { 4 * width }

  /// The number of bytes of all rows.
  public var byteCount: Int { stride * height }

  // Rounds up, but ignores an excess of at most 1/256 pixel over a whole number
  // as a rounding error. An example is 0.07 points at scale 100.
  private static func pixels(_ length: Double) -> Int { Int((length - 1 / 256).rounded(.up)) }
}
