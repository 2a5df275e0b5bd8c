import CPixbuf
import Foundation

/// A folder of its own, with pictures in it, removed with it.
final class PictureFolder {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent("thumbnails-\(UUID())")
    try FileManager.default.createDirectory(at: pictures, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }  // Only /tmp would be left fuller.

  var pictures: URL { url.appendingPathComponent("pictures") }

  var out: URL { url.appendingPathComponent("out") }

  /// Makes `count` pictures, `01.jpg` and so on, each of a size of its own: every
  /// third one upright.
  func fill(_ count: Int) throws {
    for position in 1...count {
      let size = Self.size(at: position)
      let file = pictures.appendingPathComponent(Self.name(at: position)).path
      try Self.write(to: file, width: size.width, height: size.height)
    }
  }

  static func name(at position: Int) -> String {
    position < 10 ? "0\(position).jpg" : "\(position).jpg"
  }

  /// The size of the picture at `position`.
  static func size(at position: Int) -> (width: Int, height: Int) {
    let (long, short) = (900 + 10 * position, 600)
    return position % 3 == 0 ? (short, long) : (long, short)
  }

  /// The size that its thumbnail has to have.
  static func thumbnailSize(at position: Int, longest: Int) -> (width: Int, height: Int) {
    let (width, height) = size(at: position)
    let scale = Double(longest) / Double(max(width, height))
    return (Int((Double(width) * scale).rounded()), Int((Double(height) * scale).rounded()))
  }

  /// The size of the picture that `file` holds; nil: it holds none.
  static func size(of file: URL) -> (width: Int, height: Int)? {
    guard let picture = gdk_pixbuf_new_from_file(file.path, nil) else { return nil }
    defer { g_object_unref(UnsafeMutableRawPointer(picture)) }
    return (Int(gdk_pixbuf_get_width(picture)), Int(gdk_pixbuf_get_height(picture)))
  }

  private static func write(to path: String, width: Int, height: Int) throws {
    guard let picture = gdk_pixbuf_new(0, 0, 8, Int32(width), Int32(height)) else {
      throw CocoaError(.fileWriteUnknown)
    }
    defer { g_object_unref(UnsafeMutableRawPointer(picture)) }
    // Noise takes a decoder longest. The same in each row, shifted.
    let stride = Int(gdk_pixbuf_get_rowstride(picture))
    let noise = (0..<stride + height).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 13) }
    for row in 0..<height {
      let pixels = UnsafeMutableBufferPointer(
        start: gdk_pixbuf_get_pixels(picture).advanced(by: row * stride),
        count: width * 3
      )
      _ = pixels.update(fromContentsOf: noise[row..<row + width * 3])
    }
    guard gdk_pixbuf_savev(picture, path, "jpeg", nil, nil, nil) != 0 else {
      throw CocoaError(.fileWriteUnknown)
    }
  }
}
