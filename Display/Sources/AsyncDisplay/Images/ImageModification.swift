/// A modification of an image after decoding, performed on the worker that
/// decoded it.
///
/// An example is a blur. An image that several nodes need with the same source
/// and the same modification is made once.
public struct ImageModification: Hashable, Sendable {
  /// Returns a modified image. If `isCancelled` returns true, the function must
  /// throw `CancellationError`, because a returned image would be shown. A
  /// `CancellationError` that is thrown while `isCancelled` returns false
  /// counts as a failure, like any other error.
  public typealias Body =
    @Sendable (_ bitmap: Bitmap, _ pool: BitmapPool, _ isCancelled: () -> Bool) throws -> Bitmap

  /// The name that identifies the modification. Modifications with the same
  /// name are equal.
  public let name: String

  /// The number of bitmaps of the image's size that `body` uses at once,
  /// including its result. `Display.inFlightLimit` counts them in addition to
  /// the decoded image.
  public let bitmapCount: Int

  /// Performs the modification.
  let body: Body

  /// Creates a modification.
  ///
  /// - Parameters:
  ///   - name: The name that identifies the modification. It must include every
  ///     value that `body` depends on.
  ///   - bitmapCount: The number of bitmaps that `body` uses at once, including
  ///     its result.
  ///   - body: Performs the modification on a worker.
  /// - Precondition: `bitmapCount` is from 0 to 64.
  public init(_ name: String, bitmapCount: Int = 1, _ body: @escaping Body) {
    require(
      0...64 ~= bitmapCount,
      "ImageModification: bitmapCount must be 0 to 64, got \(bitmapCount)"
    )
    self.name = name
    self.bitmapCount = bitmapCount
    self.body = body
  }

  /// Returns a modification that applies `filter`.
  public static func blur(_ filter: BlurFilter) -> ImageModification {
    // A blur needs one bitmap to read from and one bitmap to write to. With a
    // reduction, each of them is at most a quarter of the image's size, and so
    // is the reduced image.
    let bitmapCount = filter.reduction > 1 ? 1 : 2
    return ImageModification("blur \(filter)", bitmapCount: bitmapCount) {
      try filter.apply(to: $0, from: $1, isCancelled: $2)
    }
  }

  /// Returns whether both modifications have the same name.
  public static func == (left: ImageModification, right: ImageModification) -> Bool {
    left.name == right.name
  }

  /// Hashes the name of the modification.
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
