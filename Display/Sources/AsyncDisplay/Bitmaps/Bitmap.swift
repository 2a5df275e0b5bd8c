/// A finished image in memory: premultiplied 32-bit pixels, `0xAARRGGBB` in the
/// machine's byte order, top row first.
///
/// The pixels do not change once the bitmap has been shared, so any thread may
/// read them. Releasing the last reference returns the memory to its pool.
public final class Bitmap: Sendable {
  /// The size in pixels.
  public let pixels: PixelSize

  /// The number of pixels per point.
  public let scale: Double

  // Unsafe: only the creator writes it, before sharing the bitmap through a
  // lock or a posted closure. Afterwards it is only read.
  nonisolated(unsafe) private let memory: BitmapMemory
  let pool: BitmapPool

  /// Creates a bitmap with undefined content. The caller must write every pixel
  /// before sharing it.
  init(
    uninitialized pixels: PixelSize,
    scale: Double,
    from pool: BitmapPool
  ) throws(DisplayError) {
    guard let memory = pool.take(pixels.byteCount) else {
      throw .noMemory(byteCount: pixels.byteCount)
    }
    self.memory = memory
    self.pixels = pixels
    self.scale = scale
    self.pool = pool
  }

  /// Creates a transparent bitmap for the caller to draw into.
  ///
  /// - Throws: `DisplayError` if there is not enough memory;
  ///   `CancellationError` once `isCancelled` returns true.
  convenience init(
    _ pixels: PixelSize,
    scale: Double,
    from pool: BitmapPool,
    isCancelled: () -> Bool = { false }
  ) throws {
    try self.init(uninitialized: pixels, scale: scale, from: pool)
    try memory.clear(pixels.byteCount, isCancelled)
  }

  deinit { pool.giveBack(memory) }

  /// The size in points.
  public var size: Size {
    Size(width: Double(pixels.width) / scale, height: Double(pixels.height) / scale)
  }

  /// Calls `body` with the pixels, row by row.
  ///
  /// Call from any thread.
  public func withPixels<Result>(
    _ body: (UnsafeBufferPointer<UInt32>) throws -> Result
  ) rethrows -> Result {
    let start = memory.address.assumingMemoryBound(to: UInt32.self)
    return try body(UnsafeBufferPointer(start: start, count: pixels.width * pixels.height))
  }

  /// Returns whether both bitmaps have the same size and equal pixels.
  ///
  /// Call from any thread.
  ///
  /// - Complexity: O(n) in the number of pixels.
  public func hasSamePixels(as other: Bitmap) -> Bool {
    guard pixels == other.pixels else { return false }
    return withPixels { mine in other.withPixels { mine.elementsEqual($0) } }
  }

  /// The address of the pixels. Only the creator of the bitmap writes to them.
  var bytes: UnsafeMutablePointer<UInt8> {
    memory.address.assumingMemoryBound(to: UInt8.self)
  }
}
