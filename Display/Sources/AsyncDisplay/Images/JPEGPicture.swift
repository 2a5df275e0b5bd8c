import CDisplayPictures

/// Decodes a JPEG with libjpeg. Only one thread may use it. The bytes must stay
/// valid until the value is destroyed.
struct JPEGPicture: ~Copyable {
  private let jpeg: OpaquePointer
  private let pixels: PixelSize
  private let orientation: ExifOrientation

  /// Parses the header of `bytes`.
  init(_ bytes: UnsafeBufferPointer<UInt8>) throws {
    guard let jpeg = cp_jpeg_open(bytes.baseAddress, bytes.count) else {
      throw DisplayError.noMemory(byteCount: 0)
    }
    do {
      var (width, height) = (UInt32(0), UInt32(0))
      let result = cp_jpeg_read_header(jpeg, &width, &height)
      try PictureDecoder.check(result, nil, cp_jpeg_message(jpeg))
      let size = try PictureDecoder.size(width, height)
      let coefficients = Int(clamping: cp_jpeg_coefficient_bytes(jpeg))
      guard coefficients <= ImageSource.coefficientLimit(ofFile: bytes.count) else {
        throw ImageError.tooManyCoefficients(byteCount: coefficients)
      }
      pixels = size
    } catch {
      // Needed because the deinit of a partially initialised value does not
      // run.
      cp_jpeg_close(jpeg)
      throw error
    }
    self.jpeg = jpeg
    orientation = ExifOrientation(Self.orientation(jpeg), pixels)
  }

  deinit { cp_jpeg_close(jpeg) }

  /// Returns the image in upright orientation.
  borrowing func decode(from pool: BitmapPool, _ isCancelled: () -> Bool) throws -> Bitmap {
    if isCancelled() { throw CancellationError() }
    try check(cp_jpeg_start(jpeg))
    while try check(cp_jpeg_read_ahead(jpeg)) > 0 { if isCancelled() { throw CancellationError() } }
    let bitmap = try Bitmap(uninitialized: orientation.pixels, scale: 1, from: pool)
    orientation.isUpright
      ? try read(into: bitmap, isCancelled) : try readRotated(into: bitmap, isCancelled)
    return bitmap
  }

  private borrowing func read(into bitmap: Bitmap, _ isCancelled: () -> Bool) throws {
    try PictureDecoder.forEachRows(of: pixels.height, isCancelled) { rows in
      try read(rows, to: bitmap.bytes + rows.lowerBound * pixels.stride)
    }
  }

  private borrowing func readRotated(into bitmap: Bitmap, _ isCancelled: () -> Bool) throws {
    let count = PictureDecoder.rowsPerPoll * pixels.stride
    let lines = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 16)
    defer { lines.deallocate() }
    let target = UnsafeMutableRawPointer(bitmap.bytes).assumingMemoryBound(to: UInt32.self)
    let source = lines.assumingMemoryBound(to: UInt32.self)
    try PictureDecoder.forEachRows(of: pixels.height, isCancelled) { rows in
      try read(rows, to: lines.assumingMemoryBound(to: UInt8.self))
      orientation.place(rows, of: source, in: target)
    }
  }

  private borrowing func read(_ rows: Range<Int>, to target: UnsafeMutablePointer<UInt8>) throws {
    try check(cp_jpeg_read_rows(jpeg, target, pixels.stride, UInt32(rows.count)))
    guard cp_jpeg_has_inks(jpeg) != 0 else { return }
    let words = UnsafeMutableRawPointer(target).assumingMemoryBound(to: UInt32.self)
    for index in 0..<rows.count * pixels.width {
      words[index] = Self.color(target + 4 * index)
    }
  }

  // Converts a pixel of inverted CMYK, in which 255 means no ink.
  private static func color(_ inks: UnsafePointer<UInt8>) -> UInt32 {
    func lit(_ index: Int) -> UInt32 { UInt32(inks[index]) * UInt32(inks[3]) / 255 }
    return 0xFF00_0000 | lit(0) << 16 | lit(1) << 8 | lit(2)
  }

  @discardableResult
  private borrowing func check(_ result: Int32) throws -> Int32 {
    try PictureDecoder.check(result, pixels, cp_jpeg_message(jpeg))
    return result
  }

  private static func orientation(_ jpeg: OpaquePointer) -> Int {
    var count = 0
    let note = UnsafeBufferPointer(start: cp_jpeg_exif(jpeg, &count), count: count)
    return ExifReader(note).orientation
  }
}
