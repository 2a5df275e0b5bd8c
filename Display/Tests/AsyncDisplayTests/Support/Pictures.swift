import AsyncDisplay
import CPixbuf

/// Picture files encoded by gdk-pixbuf.
enum Pictures {
  /// Returns a file of `type`, which is "png" or "jpeg", with `width` by
  /// `height` pixels. Red increases to the right, and green increases
  /// downwards.
  static func file(_ type: String, _ width: Int, _ height: Int, alpha: UInt8? = nil) -> [UInt8] {
    let channels = alpha == nil ? 3 : 4
    let hasAlpha: Int32 = alpha == nil ? 0 : 1
    guard let picture = gdk_pixbuf_new(0, hasAlpha, 8, Int32(width), Int32(height)) else {
      return []
    }
    defer { g_object_unref(UnsafeMutableRawPointer(picture)) }
    let stride = Int(gdk_pixbuf_get_rowstride(picture))
    guard let pixels = gdk_pixbuf_get_pixels(picture) else { return [] }
    for y in 0..<height {
      for x in 0..<width {
        let pixel = pixels + y * stride + channels * x
        pixel[0] = UInt8(255 * x / max(1, width - 1))
        pixel[1] = UInt8(255 * y / max(1, height - 1))
        pixel[2] = 0
        if let alpha { pixel[3] = alpha }
      }
    }
    var (bytes, count) = (UnsafeMutablePointer<CChar>?.none, 0)
    guard gdk_pixbuf_save_to_bufferv(picture, &bytes, &count, type, nil, nil, nil) != 0 else {
      return []
    }
    defer { g_free(bytes) }
    return [UInt8](UnsafeRawBufferPointer(start: bytes, count: count))
  }
}
