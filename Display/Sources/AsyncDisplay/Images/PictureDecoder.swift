import CPictures

/// Decodes PNG and JPEG, by libpng and libjpeg. Call from any thread.
enum PictureDecoder {
  /// So many rows are decoded between two looks whether it was cancelled.
  static let rowsPerPoll = 16

  /// The picture in `bytes`, the right way up.
  ///
  /// What it is, is told by its first bytes. Of a JPEG that is cut off, what is there may
  /// be shown: cameras leave such files. `isCancelled` is asked every 16 rows, of a JPEG in
  /// scans every row of blocks of each scan, and of a PNG wherever its file is read, 8 KiB
  /// at most. What is before the pixels of a JPEG is one step.
  static func decode(
    _ bytes: UnsafeBufferPointer<UInt8>,
    from pool: BitmapPool,
    isCancelled: () -> Bool
  ) throws -> Bitmap {
    switch PictureType(of: bytes) {
    case .jpeg: try JPEGPicture(bytes).decode(from: pool, isCancelled)
    case .png:
      try withoutActuallyEscaping(isCancelled) { try PNGPicture(bytes, $0).decode(from: pool) }
    case nil: throw ImageError.unknownFormat
    }
  }

  /// What a picture of so many pixels has, by its header.
  static func size(_ width: UInt32, _ height: UInt32) throws(ImageError) -> PixelSize {
    let (width, height) = (Int(width), Int(height))
    guard PixelSize.allows(width, height) else {
      throw .tooManyPixels(width: width, height: height)
    }
    return PixelSize(width: width, height: height)
  }

  /// Calls `body` with each few rows of `height`, until cancelled.
  static func forEachRows(
    of height: Int,
    _ isCancelled: () -> Bool,
    _ body: (Range<Int>) throws -> Void
  ) throws {
    for row in stride(from: 0, to: height, by: rowsPerPoll) {
      if isCancelled() { throw CancellationError() }
      try body(row..<min(row + rowsPerPoll, height))
    }
  }

  /// Throws what a call says that returned `result`.
  static func check(
    _ result: Int32,
    _ pixels: PixelSize?,
    _ message: @autoclosure () -> UnsafePointer<CChar>?
  ) throws {
    if result >= 0 { return }
    switch cp_failure(result) {
    case cp_cancelled: throw CancellationError()
    case cp_no_memory: throw DisplayError.noMemory(byteCount: pixels?.byteCount ?? 0)
    default:
      throw ImageError.damaged(message().map { String(cString: $0) } ?? "it does not say why")
    }
  }
}
