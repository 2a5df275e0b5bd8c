/// The identity of a decoded image.
struct ImageKey: Hashable, Sendable {
  let source: ImageSource
  let modification: ImageModification?

  /// The number of bytes of the bitmaps needed to make the image, or nil if
  /// finding out requires reading the file.
  var byteCount: Int? {
    switch source {
    case .bitmap(let picture): return picture.bitmap.pixels.byteCount * made
    case .data(let data): return PictureHeader.memory(for: data.bytes).peak(made)
    case .file: return nil
    }
  }

  /// Returns the same number as `byteCount`, and reads the file if necessary.
  /// Call on a worker.
  func readByteCount(isCancelled: () -> Bool) -> Int {
    guard case .file(let path) = source else { return byteCount ?? 0 }
    return PictureHeader.memory(forFile: path, isCancelled: isCancelled).peak(made)
  }

  // The number of bitmaps of the image's size that the modification creates.
  private var made: Int { modification?.bitmapCount ?? 0 }

  /// Makes the image on the calling thread.
  func make(from pool: BitmapPool, isCancelled: () -> Bool) throws -> Bitmap {
    let bitmap = try source.decode(from: pool, isCancelled: isCancelled)
    guard let modification else { return bitmap }
    if isCancelled() { throw CancellationError() }
    return try modification.body(bitmap, pool, isCancelled)
  }
}
