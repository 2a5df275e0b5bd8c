import CPixbuf
import Foundation

/// A temporary folder with pictures. It is removed when this object is released.
final class PictureFolder {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent("thumbnails-\(UUID())")
    try FileManager.default.createDirectory(at: pictures, withIntermediateDirectories: true)
  }

  // try?: a folder that stays in the temporary directory does no harm.
  deinit { try? FileManager.default.removeItem(at: url) }

  var pictures: URL { url.appendingPathComponent("pictures") }

  var out: URL { url.appendingPathComponent("out") }

  /// Creates `count` pictures of different sizes, named `01.jpg` and so on. Every third
  /// picture is in portrait format.
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

  /// The expected size of the thumbnail.
  static func thumbnailSize(at position: Int, longest: Int) -> (width: Int, height: Int) {
    let (width, height) = size(at: position)
    let scale = Double(longest) / Double(max(width, height))
    return (Int((Double(width) * scale).rounded()), Int((Double(height) * scale).rounded()))
  }

  /// Returns the size of the picture in `file`, or nil if it is not a picture.
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
    // The picture contains noise, which is slow to decode. Each row is the previous
    // row shifted by a byte.
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
