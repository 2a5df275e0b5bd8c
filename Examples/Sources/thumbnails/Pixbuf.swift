import CPixbuf

/// A decoded picture. Use it on one thread at a time.
struct Pixbuf: ~Copyable {
  private let pointer: OpaquePointer

  /// Decodes the file at `path` and applies its EXIF orientation.
  init(path: String) throws {
    var error: UnsafeMutablePointer<GError>?
    guard let loaded = gdk_pixbuf_new_from_file(path, &error) else { throw Self.failure(error) }
    guard let upright = gdk_pixbuf_apply_embedded_orientation(loaded) else {
      pointer = loaded
      return
    }
    g_object_unref(UnsafeMutableRawPointer(loaded))
    pointer = upright
  }

  private init(owning pointer: OpaquePointer) { self.pointer = pointer }

  deinit { g_object_unref(UnsafeMutableRawPointer(pointer)) }

  var width: Int { Int(gdk_pixbuf_get_width(pointer)) }

  var height: Int { Int(gdk_pixbuf_get_height(pointer)) }

  /// Returns the picture, scaled down so that its longest edge has at most `size` pixels.
  /// Never enlarges the picture.
  func scaled(toFit size: Int) throws -> Pixbuf {
    let longest = max(width, height)
    let (numerator, denominator) = longest > size ? (size, longest) : (1, 1)
    let width = max(1, (width * numerator + denominator / 2) / denominator)
    let height = max(1, (height * numerator + denominator / 2) / denominator)
    let scaled = gdk_pixbuf_scale_simple(pointer, Int32(width), Int32(height), lt_pixbuf_bilinear)
    guard let scaled else { throw Failure("not enough memory for \(width)x\(height) pixels") }
    return Pixbuf(owning: scaled)
  }

  /// Encodes the picture as a PNG file.
  func png() throws -> [UInt8] {
    var (bytes, count) = (UnsafeMutablePointer<CChar>?.none, 0)
    var error: UnsafeMutablePointer<GError>?
    guard gdk_pixbuf_save_to_bufferv(pointer, &bytes, &count, "png", nil, nil, &error) != 0 else {
      throw Self.failure(error)
    }
    defer { g_free(bytes) }
    return [UInt8](UnsafeRawBufferPointer(start: bytes, count: count))
  }

  private static func failure(_ error: UnsafeMutablePointer<GError>?) -> Failure {
    guard let error else { return Failure("unknown error of gdk-pixbuf") }
    defer { g_error_free(error) }
    return Failure(String(cString: error.pointee.message))
  }
}
