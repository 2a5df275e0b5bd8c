import AsyncDisplay
import CPixbuf
import Testing

@Suite("Pictures of turned cameras")
struct OrientationTests {
  private let pool = BitmapPool()

  // D10
  @Test("they come the right way up, as gdk-pixbuf turns them", arguments: 1...8)
  func turned(_ orientation: Int) throws {
    // Of more rows than are turned at once, and of odd edges.
    let bytes = Pictures.turned(Pictures.file("jpeg", 37, 21), orientation)
    let bitmap = try ImageSource.data(bytes).decode(from: pool)
    let expected = try #require(Reference.pixels(of: bytes))
    #expect(bitmap.pixels.width == (orientation < 5 ? 37 : 21))
    let isSame = bitmap.withPixels { $0.elementsEqual(expected) }
    #expect(isSame)
  }

  @Test("what says no way that there is comes as it is", arguments: [0, 9, 65_535])
  func odd(_ orientation: Int) throws {
    let plain = Pictures.file("jpeg", 37, 21)
    let bitmap = try ImageSource.data(Pictures.turned(plain, orientation)).decode(from: pool)
    let isSame = bitmap.hasSamePixels(as: try ImageSource.data(plain).decode(from: pool))
    #expect(isSame)
  }

  // D-31
  @Test("turning asks every 16 rows", arguments: [1, 3, 6])
  func polls(_ orientation: Int) throws {
    let bytes = Pictures.turned(Pictures.file("jpeg", 64, 64), orientation)
    let asked = Tally()
    _ = try ImageSource.data(bytes).decode(from: pool) {
      asked.count()
      return false
    }
    // Each KiB, the end of them, and four blocks of rows.
    #expect(asked.value == (bytes.count + 1023) / 1024 + 1 + 4)
  }
}

extension Pictures {
  /// A JPEG with a camera's note of which way it was held.
  static func turned(_ jpeg: [UInt8], _ orientation: Int) -> [UInt8] {
    let directory: [UInt8] = [
      0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1,
      UInt8(orientation >> 8), UInt8(orientation & 255), 0, 0, 0, 0, 0, 0,
    ]
    let note = Array("Exif\0\0".utf8) + directory
    let head: [UInt8] = [0xFF, 0xE1, 0, UInt8(note.count + 2)]
    return Array(jpeg[..<2]) + head + note + jpeg[2...]
  }
}

/// The same by gdk-pixbuf.
private enum Reference {
  static func pixels(of bytes: [UInt8]) -> [UInt32]? {
    guard let loader = gdk_pixbuf_loader_new_with_type("jpeg", nil) else { return nil }
    defer { g_object_unref(UnsafeMutableRawPointer(loader)) }
    guard gdk_pixbuf_loader_write(loader, bytes, bytes.count, nil) != 0,
      gdk_pixbuf_loader_close(loader, nil) != 0,
      let upright = gdk_pixbuf_apply_embedded_orientation(gdk_pixbuf_loader_get_pixbuf(loader)),
      let pixels = gdk_pixbuf_get_pixels(upright)
    else { return nil }
    defer { g_object_unref(UnsafeMutableRawPointer(upright)) }
    let stride = Int(gdk_pixbuf_get_rowstride(upright))
    let (width, height) = (gdk_pixbuf_get_width(upright), gdk_pixbuf_get_height(upright))
    return (0..<Int(height)).flatMap { y in
      (0..<Int(width)).map { x in
        let part = pixels + y * stride + 3 * x
        return 0xFF00_0000 | UInt32(part[0]) << 16 | UInt32(part[1]) << 8 | UInt32(part[2])
      }
    }
  }
}
