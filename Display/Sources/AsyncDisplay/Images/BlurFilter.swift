/// A blur filter. It makes three box passes in each direction, and the result
/// differs from a Gaussian blur by at most 3 %.
///
/// Pixels beyond the edges have the colour of the nearest edge pixel.
/// `isCancelled` is called every 16 rows of each pass. If `reduction` exceeds
/// 16, `isCancelled` is also called for every row of the reduced image while
/// the image is reduced. A cancelled blur throws.
///
/// Modelled on Apple's sample code for blurred images, and on the tutorial that
/// made this code cancellable.
public struct BlurFilter: Hashable, Sendable {
  /// The blur radius in pixels of the source image.
  ///
  /// - Precondition: Finite and not negative.
  public var radius: Double { didSet { Self.check(radius) } }

  /// The saturation of the result. A value of 1 leaves the image unchanged, and
  /// 0 makes it grey. Values above 64 count as 64; NaN counts as 1.
  public var saturation: Double

  /// A colour drawn over the result. The colour's components are clamped to
  /// 0...1.
  public var tint: Color?

  /// The factor by which the result is smaller than the source in each
  /// dimension. The result is enlarged when drawn. Memory and time decrease
  /// with the square of the factor.
  ///
  /// - Precondition: From 1 to 64.
  public var reduction: Int { didSet { Self.check(reduction) } }

  /// Creates a blur.
  ///
  /// - Precondition: `radius` is finite and not negative. `reduction` is from 1
  ///   to 64.
  public init(radius: Double, saturation: Double = 1, tint: Color? = nil, reduction: Int = 1) {
    Self.check(radius)
    Self.check(reduction)
    self.radius = radius
    self.saturation = saturation
    self.tint = tint
    self.reduction = reduction
  }

  private static func check(_ radius: Double) {
    require(
      radius >= 0 && radius.isFinite,
      "BlurFilter: radius must be finite and not negative, got \(radius)"
    )
  }

  private static func check(_ reduction: Int) {
    require(1...64 ~= reduction, "BlurFilter: reduction must be 1 to 64, got \(reduction)")
  }

  /// The number of rows between two calls of `isCancelled`.
  static let rowsPerPoll = 16

  /// The largest kernel size in pixels for which 32-bit division is exact.
  /// Larger radii do not blur more.
  static let widestKernel = 255

  /// The size of each box pass in pixels. The size is odd, and 1 means no blur.
  var kernel: Int {
    let wide = (radius / Double(reduction) * 3 * (2 * Double.pi).squareRoot() / 4 + 0.5)
    return min(Self.widestKernel, Int(min(wide, 1000)) | 1)
  }

  /// Returns the blurred image, computed on the calling thread. Its size is the
  /// source's size divided by `reduction`, rounded up.
  ///
  /// Call from any thread.
  ///
  /// - Throws: `CancellationError` once `isCancelled` returns true;
  ///   `DisplayError` if there is not enough memory.
  /// - Complexity: O(n) in the number of pixels, independent of the radius.
  public func apply(
    to bitmap: Bitmap,
    from pool: BitmapPool,
    isCancelled: () -> Bool = { false }
  ) throws -> Bitmap {
    let reduced = try Downsampler.downsample(bitmap, by: reduction, from: pool, isCancelled)
    let result = try Bitmap(uninitialized: reduced.pixels, scale: reduced.scale, from: pool)
    if kernel > 1 {
      let other = try Bitmap(uninitialized: reduced.pixels, scale: reduced.scale, from: pool)
      let blur = BoxBlur(kernel: kernel, pixels: reduced.pixels)
      try blur.rows(from: reduced.bytes, to: other.bytes, isCancelled)
      try blur.columns(from: other.bytes, to: result.bytes, isCancelled)
      try blur.columns(from: result.bytes, to: other.bytes, isCancelled)
      try blur.columns(from: other.bytes, to: result.bytes, isCancelled)
    } else {
      try copy(reduced, to: result, isCancelled)
    }
    if saturation != 1 || tint != nil {
      try ColorFilter(saturation, tint).apply(to: result, isCancelled)
    }
    if isCancelled() { throw CancellationError() }
    return result
  }

  private func copy(_ bitmap: Bitmap, to result: Bitmap, _ isCancelled: () -> Bool) throws {
    let pixels = bitmap.pixels
    for row in stride(from: 0, to: pixels.height, by: Self.rowsPerPoll) {
      if isCancelled() { throw CancellationError() }
      let start = row * pixels.stride
      let count = min(Self.rowsPerPoll, pixels.height - row) * pixels.stride
      (result.bytes + start).update(from: bitmap.bytes + start, count: count)
    }
  }
}
