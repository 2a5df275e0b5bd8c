/// How large a picture will be, of what its file says first. Nothing is decoded.
enum PictureHeader {
  // What of a file is read for it: a camera's notes come before the size.
  private static let length = 1 << 18

  /// Bytes of the bitmap that is decoded from `bytes`; 0 if none will be.
  ///
  /// What begins as a picture and does not say so here may be as large as any, and counts
  /// so: it is decoded alone.
  static func byteCount(of bytes: [UInt8]) -> Int {
    guard let type = PictureType(of: bytes) else { return 0 }
    guard let (width, height) = size(in: bytes, type) else { return 4 * PixelSize.largestArea }
    return PixelSize.allows(width, height) ? PixelSize(width: width, height: height).byteCount : 0
  }

  /// The same of the file at `path`. Reads, so call it off the loop.
  static func byteCount(ofFile path: String, isCancelled: () -> Bool = { false }) -> Int {
    // try?: what can not be read is told by who decodes it, and needs no memory.
    (try? PictureFile.read(path, limit: length, isCancelled)).map { byteCount(of: $0) } ?? 0
  }

  private static func size(in bytes: [UInt8], _ type: PictureType) -> (width: Int, height: Int)? {
    func word(_ at: Int) -> Int { Int(bytes[at]) << 8 | Int(bytes[at + 1]) }
    switch type {
    case .png:
      guard bytes.count >= 24 else { return nil }
      return (word(16) << 16 | word(18), word(20) << 16 | word(22))
    case .jpeg: break
    }
    var offset = 2
    // From marker to marker, to that of a frame. What is between them libjpeg leaves out.
    while offset + 9 <= bytes.count {
      guard bytes[offset] == 0xFF else {
        offset += 1
        continue
      }
      switch bytes[offset + 1] {
      case 0xFF: offset += 1
      case 0x00, 0x01, 0xD0...0xD7: offset += 2
      case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
        return (word(offset + 7), word(offset + 5))
      // Its length has part in itself.
      default: offset += 2 + max(2, word(offset + 2))
      }
    }
    return nil
  }
}

/// What a picture's file is, by its first bytes.
enum PictureType {
  case png, jpeg

  /// What begins with `bytes`; nil if it is none.
  init?(of bytes: some Sequence<UInt8>) {
    if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      self = .png
    } else if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
      self = .jpeg
    } else {
      return nil
    }
  }
}
