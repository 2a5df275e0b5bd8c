import CDisplayPictures

/// Decodes PNG and JPEG images with libpng and libjpeg. Call from any thread.
enum PictureDecoder {
  /// The number of rows decoded between two calls of `isCancelled`.
  static let rowsPerPoll = 16

  /// Decodes the image in `bytes` and rotates it to upright orientation.
  ///
  /// The format is determined by the first bytes. A truncated JPEG is decoded
  /// as far as possible, because cameras produce such files.
  ///
  /// `isCancelled` is called every 16 rows. For a JPEG in several scans, it is
  /// called after each row of blocks of each scan. For a PNG, it is also called
  /// after at most 8 KiB of the file. The part of a JPEG before its pixels is
  /// read in one step.
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

  /// Returns the size in an image header, or throws if it exceeds the limits.
  static func size(_ width: UInt32, _ height: UInt32) throws(ImageError) -> PixelSize {
    let (width, height) = (Int(width), Int(height))
    guard PixelSize.allows(width, height) else {
      throw .tooManyPixels(width: width, height: height)
    }
    return PixelSize(width: width, height: height)
  }

  /// Calls `body` for a few rows at a time, until all `height` rows are done or
  /// `isCancelled` returns true.
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

  /// Throws an error if `result`, returned by a C function, reports a failure.
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
      throw ImageError.damaged(message().map { String(cString: $0) } ?? "no error message")
    }
  }
}
