/// How much memory a picture will need, by the first bytes of its file. Nothing is decoded.
enum PictureHeader {
  /// What decoding takes, in bytes.
  struct Memory: Hashable {
    /// The bitmap.
    var pixels = 0
    /// What is kept of a JPEG in scans until the last one is read.
    var coefficients = 0

    /// The most at once if `made` more bitmaps of that size are made once it is decoded.
    func peak(_ made: Int) -> Int { max(pixels + coefficients, pixels * (1 + made)) }
  }

  // What of a file is read for it: a camera's notes come before the size.
  private static let length = 1 << 18

  /// What decoding `bytes` takes; nothing if they are refused.
  ///
  /// What begins as a picture and does not say so here may be as large as any, and counts
  /// so: it is decoded alone.
  static func memory(for bytes: [UInt8]) -> Memory { memory(for: bytes, of: bytes.count) }

  /// The same of the file at `path`. Reads, so call it off the loop.
  static func memory(
    forFile path: String,
    isCancelled: () -> Bool = { false }
  ) -> Memory {
    // try?: what can not be read is told by who decodes it, and needs no memory.
    let bytes = try? PictureFile.read(path, limit: length, isCancelled)
    // One that is not whole here may be as large as any.
    return bytes.map { memory(for: $0, of: $0.count < length ? $0.count : .max) } ?? Memory()
  }

  private static func memory(for bytes: [UInt8], of fileSize: Int) -> Memory {
    guard let type = PictureType(of: bytes) else { return Memory() }
    var (size, coefficients) = ((width: Int, height: Int)?.none, 0)
    switch type {
    case .png: size = pngSize(in: bytes)
    case .jpeg:
      let frame = JPEGFrame(in: bytes)
      size = frame.map { ($0.width, $0.height) }
      coefficients = frame?.coefficientBytes ?? 0
    }
    guard let (width, height) = size else { return Memory(pixels: 4 * PixelSize.largestArea) }
    let limit = ImageSource.coefficientLimit(ofFile: min(fileSize, ImageSource.largestFile))
    guard PixelSize.allows(width, height), coefficients <= limit else { return Memory() }
    return Memory(pixels: 4 * width * height, coefficients: coefficients)
  }

  private static func pngSize(in bytes: [UInt8]) -> (width: Int, height: Int)? {
    guard bytes.count >= 24 else { return nil }
    func word(_ at: Int) -> Int { Int(bytes[at]) << 8 | Int(bytes[at + 1]) }
    return (word(16) << 16 | word(18), word(20) << 16 | word(22))
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
