/// What a decoded picture depends on.
struct ImageKey: Hashable, Sendable {
  let source: ImageSource
  let modification: ImageModification?

  /// Bytes of the bitmaps that are made for it; nil if its file must be read to know.
  var byteCount: Int? {
    switch source {
    case .bitmap(let picture): return picture.bitmap.pixels.byteCount * made
    case .data(let data): return PictureHeader.memory(for: data.bytes).peak(made)
    case .file: return nil
    }
  }

  /// The same, on a worker.
  func readByteCount(isCancelled: () -> Bool) -> Int {
    guard case .file(let path) = source else { return byteCount ?? 0 }
    return PictureHeader.memory(forFile: path, isCancelled: isCancelled).peak(made)
  }

  // Bitmaps of its size that are made of it.
  private var made: Int { modification?.bitmapCount ?? 0 }

  /// Makes the picture, on this thread.
  func make(from pool: BitmapPool, isCancelled: () -> Bool) throws -> Bitmap {
    let bitmap = try source.decode(from: pool, isCancelled: isCancelled)
    guard let modification else { return bitmap }
    if isCancelled() { throw CancellationError() }
    return try modification.body(bitmap, pool, isCancelled)
  }
}
