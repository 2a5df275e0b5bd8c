import CPixbuf

/// Decodes pictures with gdk-pixbuf.
enum PixbufReader {
  /// Returns the premultiplied pixels of a file of `type`, or nil if gdk-pixbuf
  /// rejects it.
  static func pixels(of bytes: [UInt8], _ type: String) -> [UInt32]? {
    guard let loader = gdk_pixbuf_loader_new_with_type(type, nil) else { return nil }
    defer { g_object_unref(UnsafeMutableRawPointer(loader)) }
    guard gdk_pixbuf_loader_write(loader, bytes, bytes.count, nil) != 0,
      gdk_pixbuf_loader_close(loader, nil) != 0,
      let upright = gdk_pixbuf_apply_embedded_orientation(gdk_pixbuf_loader_get_pixbuf(loader)),
      let pixels = gdk_pixbuf_get_pixels(upright)
    else { return nil }
    defer { g_object_unref(UnsafeMutableRawPointer(upright)) }
    let stride = Int(gdk_pixbuf_get_rowstride(upright))
    let channels = Int(gdk_pixbuf_get_n_channels(upright))
    let (width, height) = (gdk_pixbuf_get_width(upright), gdk_pixbuf_get_height(upright))
    return (0..<Int(height)).flatMap { y in
      (0..<Int(width)).map { x in
        let part = pixels + y * stride + channels * x
        let alpha = channels == 4 ? UInt32(part[3]) : 255
        func times(_ index: Int) -> UInt32 { (UInt32(part[index]) * alpha + 127) / 255 }
        return alpha << 24 | times(0) << 16 | times(1) << 8 | times(2)
      }
    }
  }
}
