/// What is done to a picture once it is decoded, on the worker that did so.
///
/// In the tutorial's feed, the blur. Pictures of equal sources whose modifications are
/// equal, too, are made once.
public struct ImageModification: Hashable, Sendable {
  /// Makes another picture of `bitmap`. Asks `isCancelled` where it takes long, and
  /// throws a `CancellationError` then: what it returned would be shown. D-51. One that
  /// it throws unasked is a failure, as every other error.
  public typealias Body =
    @Sendable (_ bitmap: Bitmap, _ pool: BitmapPool, _ isCancelled: () -> Bool) throws -> Bitmap

  /// What it is: two of the same name do the same.
  public let name: String

  /// Bitmaps of the picture's size that `body` has at once, its result included: so many
  /// times its bytes count by `Display.inFlightLimit`, beside its own.
  public let bitmapCount: Int

  /// Does it.
  public let body: Body

  /// The modification called `name`.
  ///
  /// - Parameters:
  ///   - name: With everything in it that `body` depends on.
  ///   - bitmapCount: Bitmaps that `body` has at once, its result included.
  /// - Precondition: `bitmapCount` is 0 to 64.
  public init(_ name: String, bitmapCount: Int = 1, _ body: @escaping Body) {
    require(
      0...64 ~= bitmapCount,
      "ImageModification: bitmapCount must be 0 to 64, got \(bitmapCount)"
    )
    self.name = name
    self.bitmapCount = bitmapCount
    self.body = body
  }

  /// The blur by `filter`.
  public static func blur(_ filter: BlurFilter) -> ImageModification {
    // One to blur into and one to blur from; a fourth of that, and what was made smaller, if
    // it is reduced.
    let bitmapCount = filter.reduction > 1 ? 1 : 2
    return ImageModification("blur \(filter)", bitmapCount: bitmapCount) {
      try filter.apply(to: $0, from: $1, isCancelled: $2)
    }
  }

  /// Whether both do the same.
  public static func == (left: ImageModification, right: ImageModification) -> Bool {
    left.name == right.name
  }

  /// Hashes its name.
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
