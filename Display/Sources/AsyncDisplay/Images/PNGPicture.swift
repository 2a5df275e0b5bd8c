import CDisplayPictures

/// Decodes a PNG with libpng. Only one thread may use it. The bytes must stay
/// valid until the value is destroyed.
struct PNGPicture: ~Copyable {
  private let png: OpaquePointer
  private let pixels: PixelSize
  // Retained because libpng calls it.
  private let poll: Poll

  /// Parses the header of `bytes`.
  init(_ bytes: UnsafeBufferPointer<UInt8>, _ isCancelled: @escaping () -> Bool) throws {
    let poll = Poll(isCancelled)
    let context = Unmanaged.passUnretained(poll).toOpaque()
    guard let png = cp_png_open(bytes.baseAddress, bytes.count, isCancelledByPoll, context) else {
      throw DisplayError.noMemory(byteCount: 0)
    }
    do {
      var (width, height) = (UInt32(0), UInt32(0))
      let result = cp_png_read_header(png, &width, &height)
      try PictureDecoder.check(result, nil, cp_png_message(png))
      pixels = try PictureDecoder.size(width, height)
    } catch {
      // Needed because the deinit of a partially initialised value does not
      // run.
      cp_png_close(png)
      throw error
    }
    (self.png, self.poll) = (png, poll)
  }

  deinit { cp_png_close(png) }

  /// Returns the image.
  borrowing func decode(from pool: BitmapPool) throws -> Bitmap {
    if poll.isCancelled() { throw CancellationError() }
    var (passes, hasAlpha) = (Int32(0), Int32(0))
    try check(cp_png_start(png, &passes, &hasAlpha))
    let bitmap = try Bitmap(uninitialized: pixels, scale: 1, from: pool)
    for pass in 1...max(1, passes) {
      try PictureDecoder.forEachRows(of: pixels.height, poll.isCancelled) { rows in
        let start = bitmap.bytes + rows.lowerBound * pixels.stride
        try check(cp_png_read_rows(png, start, pixels.stride, UInt32(rows.count)))
        if pass == passes, hasAlpha != 0 { premultiply(start, rows.count) }
      }
    }
    try check(cp_png_finish(png))
    return bitmap
  }

  private borrowing func premultiply(_ rows: UnsafeMutablePointer<UInt8>, _ count: Int) {
    let words = UnsafeMutableRawPointer(rows).assumingMemoryBound(to: UInt32.self)
    for index in 0..<count * pixels.width {
      let pixel = words[index]
      let alpha = pixel >> 24
      func times(_ shift: UInt32) -> UInt32 {
        (((pixel >> shift & 255) * alpha + 127) / 255) << shift
      }
      words[index] = alpha << 24 | times(16) | times(8) | times(0)
    }
  }

  private borrowing func check(_ result: Int32) throws {
    try PictureDecoder.check(result, pixels, cp_png_message(png))
  }
}

// Boxes a closure for libpng, whose callback takes a pointer.
private final class Poll {
  let isCancelled: () -> Bool

  init(_ isCancelled: @escaping () -> Bool) { self.isCancelled = isCancelled }
}

private func isCancelledByPoll(_ context: UnsafeMutableRawPointer?) -> Int32 {
  guard let context else { return 0 }
  return Unmanaged<Poll>.fromOpaque(context).takeUnretainedValue().isCancelled() ? 1 : 0
}
