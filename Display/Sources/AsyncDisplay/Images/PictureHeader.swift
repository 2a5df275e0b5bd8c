/// Estimates the memory for an image from the first bytes of its file, without
/// decoding it.
enum PictureHeader {
  /// The memory that decoding an image needs, in bytes.
  struct Memory: Hashable {
    /// The number of bytes of the bitmap.
    var pixels = 0
    /// The number of bytes of coefficients that a JPEG in several scans keeps
    /// until its last scan has been read.
    var coefficients = 0

    /// Returns the peak memory if `made` more bitmaps of the same size are made
    /// after decoding.
    func peak(_ made: Int) -> Int { max(pixels + coefficients, pixels * (1 + made)) }
  }

  // The number of bytes read from a file. The number is large because Exif data
  // precedes the size in a JPEG.
  private static let length = 1 << 18

  /// Returns the memory for decoding `bytes`, or zero if the decoder will
  /// refuse `bytes`.
  ///
  /// An image whose size is not in `bytes` counts as the largest possible
  /// image, so it is decoded alone.
  static func memory(for bytes: [UInt8]) -> Memory { memory(for: bytes, of: bytes.count) }

  /// Returns the memory for decoding the file at `path`. Reads the file, so
  /// call this function off the loop.
  static func memory(
    forFile path: String,
    isCancelled: () -> Bool = { false }
  ) -> Memory {
    // try?: the decoder will report an unreadable file, which needs no memory.
    let bytes = try? PictureFile.read(path, limit: length, isCancelled)
    // A file that is longer than the bytes read may have any size.
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

/// The format of an image file, determined by its first bytes.
enum PictureType {
  case png, jpeg

  /// Detects the format from `bytes`. Returns nil if the format is unknown.
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
