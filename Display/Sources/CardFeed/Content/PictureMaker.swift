import AsyncDisplay
import CPixbuf
import LoopTransactionsTesting

/// Renders the pictures of cards and encodes them as JPEG files.
enum PictureMaker {
  /// Returns a picture of `pixels` as a JPEG file of quality 80.
  static func file(
    of scenery: Scenery,
    _ pixels: PixelSize,
    _ random: inout SeededGenerator
  ) throws -> [UInt8] {
    let landscape = Landscape(scenery, width: pixels.width, height: pixels.height, &random)
    return try encode(landscape, pixels)
  }

  private static func encode(_ landscape: Landscape, _ size: PixelSize) throws -> [UInt8] {
    guard
      let picture = gdk_pixbuf_new(0, 0, 8, Int32(size.width), Int32(size.height)),
      let target = gdk_pixbuf_get_pixels(picture)
    else { throw DisplayError.noMemory(byteCount: size.byteCount) }
    defer { g_object_unref(UnsafeMutableRawPointer(picture)) }
    let stride = Int(gdk_pixbuf_get_rowstride(picture))
    landscape.withPixels { pixels in
      for y in 0..<size.height {
        for x in 0..<size.width {
          let (color, place) = (pixels[y * size.width + x] * 255, target + y * stride + 3 * x)
          (place[0], place[1], place[2]) = (UInt8(color.x), UInt8(color.y), UInt8(color.z))
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
