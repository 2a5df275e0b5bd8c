/// A blur: three box passes each way, which come within 3 % of a Gaussian.
///
/// Edges are drawn out. `isCancelled` is asked every 16 rows of each pass, where it makes
/// the picture smaller by more than that once a row of the result, and the result of a
/// cancelled blur is no picture: it throws.
///
/// After Apple's sample of a blurred image, and the tutorial that made it cancellable.
public struct BlurFilter: Hashable, Sendable {
  /// How far it blurs, in pixels of the picture.
  ///
  /// - Precondition: It is finite and not negative.
  public var radius: Double { didSet { Self.check(radius) } }

  /// How colourful the result is: 1 as the picture, 0 grey, 64 at most. What is not a
  /// number is 1.
  public var saturation: Double

  /// What is laid over the result. Parts of it beyond 0 to 1 are the nearest of these.
  public var tint: Color?

  /// So many times fewer pixels each way has the result: it is blurred anyway, and is
  /// drawn larger again. Saves as much squared.
  ///
  /// - Precondition: It is 1 to 64.
  public var reduction: Int { didSet { Self.check(reduction) } }

  /// A blur of `radius` pixels.
  ///
  /// - Precondition: `radius` is finite and not negative; `reduction` is 1 to 64.
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

  /// So many rows are made between two questions.
  static let rowsPerPoll = 16

  /// Pixels that each pass makes one of, at most: one that is wider blurs no further. Up
  /// to there 32 bits divide without a fault.
  public static let widestKernel = 255

  /// Pixels that each pass makes one of: odd, 1 for none.
  public var kernel: Int {
    let wide = (radius / Double(reduction) * 3 * (2 * Double.pi).squareRoot() / 4 + 0.5)
    return min(Self.widestKernel, Int(min(wide, 1000)) | 1)
  }

  /// The blurred picture, made on this thread; of a size divided by `reduction`, rounded
  /// up.
  ///
  /// Call from any thread.
  ///
  /// - Throws: A `CancellationError` once `isCancelled` says so; a `DisplayError` if
  ///   there is no memory.
  /// - Complexity: O(n) in the pixels, whatever the radius.
  public func apply(
    to bitmap: Bitmap,
    from pool: BitmapPool,
    isCancelled: () -> Bool = { false }
  ) throws -> Bitmap {
    let reduced = try Reducer.reduce(bitmap, by: reduction, from: pool, isCancelled)
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
      try Toner(saturation, tint).tone(result, isCancelled)
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
