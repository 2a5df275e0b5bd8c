/// A finished picture in memory: premultiplied 32-bit pixels, `0xAARRGGBB` in the
/// machine's byte order, top row first.
///
/// Its pixels do not change once somebody else has it, so any thread may read them.
/// The memory goes back to its pool with the last reference.
public final class Bitmap: Sendable {
  /// How many pixels.
  public let pixels: PixelSize

  /// How many pixels make a point.
  public let scale: Double

  // Unsafe: it is written by whoever made this before it is handed on, by a lock or a
  // closure that is posted, and only read from then on.
  nonisolated(unsafe) private let memory: BitmapMemory
  let pool: BitmapPool

  /// A bitmap of whatever the memory had, for who makes it and writes every pixel.
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

  /// An empty bitmap, to be drawn into by who makes it.
  ///
  /// - Throws: `DisplayError` if there is no memory; a `CancellationError` once
  ///   `isCancelled` says so.
  package convenience init(
    _ pixels: PixelSize,
    scale: Double,
    from pool: BitmapPool,
    isCancelled: () -> Bool = { false }
  ) throws {
    try self.init(uninitialized: pixels, scale: scale, from: pool)
    try memory.clear(pixels.byteCount, isCancelled)
  }

  deinit { pool.giveBack(memory) }

  /// Its width and height in points.
  public var size: Size {
    Size(width: Double(pixels.width) / scale, height: Double(pixels.height) / scale)
  }

  /// Calls `body` with the pixels, row after row.
  ///
  /// Call from any thread.
  public func withPixels<Result>(
    _ body: (UnsafeBufferPointer<UInt32>) throws -> Result
  ) rethrows -> Result {
    let start = memory.address.assumingMemoryBound(to: UInt32.self)
    return try body(UnsafeBufferPointer(start: start, count: pixels.width * pixels.height))
  }

  /// Whether every pixel is the same.
  ///
  /// Call from any thread.
  ///
  /// - Complexity: O(n) in the pixels.
  public func hasSamePixels(as other: Bitmap) -> Bool {
    guard pixels == other.pixels else { return false }
    return withPixels { mine in other.withPixels { mine.elementsEqual($0) } }
  }

  /// Where the pixels are. Written only by who makes the bitmap.
  var bytes: UnsafeMutablePointer<UInt8> {
    memory.address.assumingMemoryBound(to: UInt8.self)
  }
}
