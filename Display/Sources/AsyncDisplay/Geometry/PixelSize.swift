/// How many pixels a bitmap has.
public struct PixelSize: Hashable, Sendable {
  /// Why a size can not be drawn.
  public enum SizeError: Error, Hashable, Sendable {
    /// A length or the scale is infinite or not a number.
    case notFinite
    /// A length is negative, or the scale is not over zero.
    case negative
    /// It has more pixels than `longestEdge` or `largestArea` allow.
    case tooLarge
  }

  /// Pixels in a row.
  public let width: Int
  /// Rows.
  public let height: Int

  /// So many pixels an edge, at most. Cairo's own limit is 32,767.
  public static let longestEdge = 16_384

  /// So many pixels in all, at most: 256 MiB.
  public static let largestArea = 1 << 26

  /// Exactly so many pixels.
  ///
  /// - Precondition: Each is from 1 to `longestEdge`, and together no more than
  ///   `largestArea`.
  public init(width: Int, height: Int) {
    require(
      Self.allows(width, height),
      "PixelSize: must be 1 to \(Self.longestEdge) each way, got \(width) x \(height)"
    )
    self.width = width
    self.height = height
  }

  /// Whether there may be so many pixels.
  static func allows(_ width: Int, _ height: Int) -> Bool {
    let edges = 1...longestEdge
    return edges ~= width && edges ~= height && width * height <= largestArea
  }

  /// The pixels that `size` touches at `scale` pixels a point; nil if it is less than
  /// one pixel wide or high.
  ///
  /// - Throws: Why it can not be drawn.
  public init?(_ size: Size, scale: Double) throws(SizeError) {
    guard size.width.isFinite, size.height.isFinite, scale.isFinite else { throw .notFinite }
    guard size.width >= 0, size.height >= 0, scale > 0 else { throw .negative }
    let (wide, high) = (size.width * scale, size.height * scale)
    // Before they are whole numbers: what is too large may not be one.
    let longest = Double(Self.longestEdge)
    guard wide <= longest, high <= longest else { throw .tooLarge }
    guard wide >= 1, high >= 1 else { return nil }
    (width, height) = (Self.pixels(wide), Self.pixels(high))
    guard width * height <= Self.largestArea else { throw .tooLarge }
  }

  /// Bytes from one row to the next.
  public var stride: Int { 4 * width }

  /// Bytes in all.
  public var byteCount: Int { stride * height }

  // A 256th of a pixel more than a whole number is rounding: 33.3 points at 3.
  private static func pixels(_ length: Double) -> Int { Int((length - 1 / 256).rounded(.up)) }
}
