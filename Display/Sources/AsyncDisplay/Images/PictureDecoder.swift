import CPixbuf

/// Decodes PNG and JPEG, by gdk-pixbuf. Call from any thread.
enum PictureDecoder {
  /// The picture in `bytes`, the right way up.
  ///
  /// What it is, is told by its first bytes, so that no other of gdk-pixbuf's formats is
  /// ever tried on what comes from outside. Of a JPEG that is cut off, what is there may
  /// be shown: cameras leave such files. `isCancelled` is asked every KiB of the file,
  /// and every 16 rows of the result. What gdk-pixbuf makes of a KiB is one step: of a
  /// JPEG in progressive scans that is all of its pixels, with the last.
  static func decode(
    _ bytes: UnsafeBufferPointer<UInt8>,
    from pool: BitmapPool,
    isCancelled: () -> Bool
  ) throws -> Bitmap {
    guard let type = PictureType(of: bytes) else { throw ImageError.unknownFormat }
    // gdk-pixbuf hands out half of a PNG as if it were whole.
    if type == .png, !hasEnd(bytes) { throw ImageError.damaged("cut off") }
    var error: UnsafeMutablePointer<GError>?
    guard let loader = gdk_pixbuf_loader_new_with_type(type.rawValue, &error) else {
      throw ImageError.damaged(Self.message(error))
    }
    defer { g_object_unref(UnsafeMutableRawPointer(loader)) }
    try load(bytes, by: loader, isCancelled)
    guard let picture = gdk_pixbuf_loader_get_pixbuf(loader) else {
      throw ImageError.damaged("no picture in it")
    }
    return try bitmap(of: picture, from: pool, isCancelled)
  }

  /// Whether chunk after chunk of a PNG leads to its last.
  private static func hasEnd(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    var offset = 8
    while offset + 12 <= bytes.count {
      func word(_ at: Int) -> UInt32 { bytes[at..<at + 4].reduce(0) { $0 << 8 | UInt32($1) } }
      if word(offset + 4) == 0x4945_4E44 { return true }
      offset += 12 + Int(word(offset))
    }
    return false
  }

  private static func load(
    _ bytes: UnsafeBufferPointer<UInt8>,
    by loader: OpaquePointer,
    _ isCancelled: () -> Bool
  ) throws {
    let announced = UnsafeMutablePointer<AnnouncedSize>.allocate(capacity: 1)
    announced.initialize(to: AnnouncedSize())
    defer { announced.deallocate() }
    let object = UnsafeMutableRawPointer(loader)
    _ = g_signal_connect_data(object, "size-prepared", sizePrepared, announced, nil, 0)
    var error: UnsafeMutablePointer<GError>?
    var offset = 0
    var isTaken = true
    while isTaken, offset < bytes.count, !announced.pointee.isRefused, !isCancelled() {
      let count = min(bytesPerPoll, bytes.count - offset)
      let chunk = bytes.baseAddress.map { $0 + offset }
      isTaken = gdk_pixbuf_loader_write(loader, chunk, count, &error) != 0
      offset += count
    }
    let failure = isTaken ? nil : message(error)
    error = nil
    // Closed in any case: an open one complains when it goes.
    let isWhole = gdk_pixbuf_loader_close(loader, &error) != 0
    let ending = isWhole ? nil : message(error)
    if announced.pointee.isRefused {
      let size = announced.pointee
      throw ImageError.tooManyPixels(width: Int(size.width), height: Int(size.height))
    }
    if isCancelled() { throw CancellationError() }
    guard isTaken, isWhole else { throw ImageError.damaged(failure ?? ending ?? "cut off") }
  }

  private static func bitmap(
    of picture: OpaquePointer,
    from pool: BitmapPool,
    _ isCancelled: () -> Bool
  ) throws -> Bitmap {
    let (width, height) = (gdk_pixbuf_get_width(picture), gdk_pixbuf_get_height(picture))
    guard AnnouncedSize(width: width, height: height).isAllowed else {
      throw ImageError.tooManyPixels(width: Int(width), height: Int(height))
    }
    let channels = Int(gdk_pixbuf_get_n_channels(picture))
    guard let source = gdk_pixbuf_get_pixels(picture), channels >= 3 else {
      throw ImageError.damaged("no pixels in it")
    }
    let turn = PictureTurn(
      orientation(of: picture),
      width: Int(width),
      height: Int(height),
      channels: channels,
      stride: Int(gdk_pixbuf_get_rowstride(picture))
    )
    let pixels = PixelSize(width: turn.width, height: turn.height)
    let bitmap = try Bitmap(uninitialized: pixels, scale: 1, from: pool)
    let target = UnsafeMutableRawPointer(bitmap.bytes).assumingMemoryBound(to: UInt32.self)
    for row in stride(from: 0, to: pixels.height, by: rowsPerPoll) {
      if isCancelled() { throw CancellationError() }
      let rows = row..<min(row + rowsPerPoll, pixels.height)
      if channels == 4 {
        convert(rows, turn, from: source, to: target, premultiplied)
      } else {
        convert(rows, turn, from: source, to: target, opaque)
      }
    }
    return bitmap
  }

  // Some 20,000 pixels of a smooth JPEG.
  private static let bytesPerPoll = 1 << 10
  private static let rowsPerPoll = 16

  // What the file says of how the camera was held.
  private static func orientation(of picture: OpaquePointer) -> Int {
    gdk_pixbuf_get_option(picture, "orientation").flatMap { Int(String(cString: $0)) } ?? 1
  }

  @inline(__always)
  private static func convert(
    _ rows: Range<Int>,
    _ turn: PictureTurn,
    from source: UnsafePointer<UInt8>,
    to target: UnsafeMutablePointer<UInt32>,
    _ pixel: (UnsafePointer<UInt8>) -> UInt32
  ) {
    @inline(__always) func place(_ x: Int, _ y: Int) {
      let offset = turn.start + x * turn.toNext + y * turn.toNextRow
      target[y * turn.width + x] = pixel(source + offset)
    }
    if turn.isSideways {
      // What lies together is in neighbouring rows: those are made together.
      for x in 0..<turn.width { for y in rows { place(x, y) } }
    } else {
      for y in rows { for x in 0..<turn.width { place(x, y) } }
    }
  }

  @inline(__always)
  private static func opaque(_ part: UnsafePointer<UInt8>) -> UInt32 {
    0xFF00_0000 | UInt32(part[0]) << 16 | UInt32(part[1]) << 8 | UInt32(part[2])
  }

  @inline(__always)
  private static func premultiplied(_ part: UnsafePointer<UInt8>) -> UInt32 {
    let alpha = UInt32(part[3])
    func times(_ value: UInt8) -> UInt32 { (UInt32(value) * alpha + 127) / 255 }
    return alpha << 24 | times(part[0]) << 16 | times(part[1]) << 8 | times(part[2])
  }

  private static func message(_ error: UnsafeMutablePointer<GError>?) -> String {
    guard let error else { return "gdk-pixbuf does not say why" }
    defer { g_error_free(error) }
    return String(cString: error.pointee.message)
  }
}

/// What a file says of its size, before anything is decoded.
private struct AnnouncedSize {
  var width: Int32 = 0
  var height: Int32 = 0
  var isRefused = false

  /// Whether it may be decoded.
  var isAllowed: Bool {
    let edges = 1...Int32(PixelSize.longestEdge)
    return edges ~= width && edges ~= height && Int(width) * Int(height) <= PixelSize.largestArea
  }
}

private func sizePrepared(
  _ loader: OpaquePointer?,
  _ width: Int32,
  _ height: Int32,
  _ announced: UnsafeMutableRawPointer?
) {
  guard let announced = announced?.assumingMemoryBound(to: AnnouncedSize.self) else { return }
  (announced.pointee.width, announced.pointee.height) = (width, height)
  guard !announced.pointee.isAllowed else { return }
  announced.pointee.isRefused = true
  // Of no size: the decoder gives up before it takes memory for the pixels.
  gdk_pixbuf_loader_set_size(loader, 0, 0)
}
