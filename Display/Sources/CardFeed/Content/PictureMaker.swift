import AsyncDisplay
import CPixbuf
import LoopTransactionsTesting

/// Draws the pictures of cards and encodes them as JPEG files.
enum PictureMaker {
  /// Returns a picture of `pixels` as a JPEG file of quality 80.
  static func file(_ pixels: PixelSize, _ random: inout SeededGenerator) throws -> [UInt8] {
    let pool = BitmapPool(keepLimit: 0)
    let bitmap = try Bitmap.draw(pixels, from: pool) { context in
      try draw(Size(width: Double(pixels.width), height: Double(pixels.height)), context, &random)
    }
    return try encode(bitmap)
  }

  // Draws a sky, hills and lights. Like a photograph, the picture has smooth
  // areas, edges and detail.
  private static func draw(
    _ size: Size,
    _ context: DrawingContext,
    _ random: inout SeededGenerator
  ) throws {
    let bounds = Rect(size: size)
    let colors = (0..<3).map { _ in color(&random, 1) }
    try context.fill(
      bounds,
      with: Gradient([.init(0, colors[0]), .init(0.6, colors[1]), .init(1, colors[2])])
    )
    for _ in 0..<24 {
      let radius = size.width * random.number(in: 0.03...0.3)
      let (x, y) = (random.unit() * size.width, random.unit() * size.height)
      let alpha = random.number(in: 0.2...0.8)
      let place = Rect(x: x - radius, y: y - radius, width: 2 * radius, height: 2 * radius)
      context.fill(place, radius: radius, with: color(&random, alpha))
    }
    for _ in 0..<600 {
      let (x, y) = (random.unit() * size.width, random.unit() * size.height)
      let place = Rect(x: x, y: y, width: size.width / 90, height: size.width / 160)
      context.fill(place, with: color(&random, 0.5))
    }
  }

  private static func color(_ random: inout SeededGenerator, _ alpha: Double) -> Color {
    Color(red: random.unit(), green: random.unit(), blue: random.unit(), alpha: alpha)
  }

  private static func encode(_ bitmap: Bitmap) throws -> [UInt8] {
    let size = bitmap.pixels
    guard
      let picture = gdk_pixbuf_new(0, 0, 8, Int32(size.width), Int32(size.height)),
      let target = gdk_pixbuf_get_pixels(picture)
    else { throw DisplayError.noMemory(byteCount: size.byteCount) }
    defer { g_object_unref(UnsafeMutableRawPointer(picture)) }
    let stride = Int(gdk_pixbuf_get_rowstride(picture))
    bitmap.withPixels { pixels in
      for y in 0..<size.height {
        for x in 0..<size.width {
          let (pixel, place) = (pixels[y * size.width + x], target + y * stride + 3 * x)
          place[0] = UInt8(truncatingIfNeeded: pixel >> 16)
          place[1] = UInt8(truncatingIfNeeded: pixel >> 8)
          place[2] = UInt8(truncatingIfNeeded: pixel)
        }
      }
    }
    return try save(picture)
  }

  private static func save(_ picture: OpaquePointer) throws -> [UInt8] {
    let (key, value) = (Array("quality".utf8CString), Array("80".utf8CString))
    var (bytes, count) = (UnsafeMutablePointer<CChar>?.none, 0)
    let isSaved = key.withUnsafeBufferPointer { key in
      value.withUnsafeBufferPointer { value in
        // gdk-pixbuf declares its lists as char **, but does not write to them.
        var keys = [UnsafeMutablePointer(mutating: key.baseAddress), nil]
        var values = [UnsafeMutablePointer(mutating: value.baseAddress), nil]
        return gdk_pixbuf_save_to_bufferv(
          picture,
          &bytes,
          &count,
          "jpeg",
          &keys,
          &values,
          nil
        ) != 0
      }
    }
    defer { g_free(bytes) }
    guard isSaved, let bytes else { throw DisplayError.noMemory(byteCount: 0) }
    return [UInt8](UnsafeRawBufferPointer(start: bytes, count: count))
  }
}
