import AsyncDisplay
import CPixbuf
import LoopTransactionsTesting

/// A landscape that can be rendered at any size, as a camera's original can be
/// shown at any size.
struct PictureOriginal: Hashable, Sendable {
  let scenery: Scenery
  let seed: UInt64

  // At lower qualities, edges against the sky have visible artefacts.
  private static let quality = "92"

  /// Returns a picture of `pixels` as a JPEG file.
  ///
  /// - Throws: `DisplayError` if memory runs out; `CancellationError` once
  ///   `isCancelled` returns true.
  func file(of pixels: PixelSize, isCancelled: () -> Bool = { false }) throws -> [UInt8] {
    var random = SeededGenerator(seed: seed)
    let landscape = Landscape(scenery, width: pixels.width, height: pixels.height, &random)
    return try Self.encode(landscape, pixels, isCancelled)
  }

  private static func encode(
    _ landscape: Landscape,
    _ size: PixelSize,
    _ isCancelled: () -> Bool
  ) throws -> [UInt8] {
    guard
      let picture = gdk_pixbuf_new(0, 0, 8, Int32(size.width), Int32(size.height)),
      let target = gdk_pixbuf_get_pixels(picture)
    else { throw DisplayError.noMemory(byteCount: size.byteCount) }
    defer { g_object_unref(UnsafeMutableRawPointer(picture)) }
    let stride = Int(gdk_pixbuf_get_rowstride(picture))
    try landscape.withPixels(isCancelled) { pixels in
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
    let (key, value) = (Array("quality".utf8CString), Array(quality.utf8CString))
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
