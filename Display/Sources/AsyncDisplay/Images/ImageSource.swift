/// The source of an image. Equal sources that are needed at the same time are
/// decoded once.
public enum ImageSource: Hashable, Sendable {
  /// The path of a PNG or JPEG file. The file must be a regular file, and is
  /// read when the image is needed.
  case file(String)
  /// The content of a PNG or JPEG file.
  case data(ImageData)
  /// An image that is already decoded.
  case bitmap(ImageBitmap)

  /// The largest file size in bytes: 64 MiB.
  public static let largestFile = 64 << 20

  /// The maximum number of bytes of coefficients that a JPEG may need in
  /// addition to its pixels. The limit is 120 MiB, or 32 times the file size if
  /// that is more.
  ///
  /// A baseline JPEG in one scan keeps no coefficients. A JPEG in several
  /// scans, such as a progressive JPEG, keeps two bytes per sample until the
  /// last scan is read. In most files these are 3 to 6 bytes per pixel.
  public static let largestCoefficients = 120 << 20

  // Returns the limit of coefficients for a file of `byteCount` bytes.
  static func coefficientLimit(ofFile byteCount: Int) -> Int {
    max(largestCoefficients, 32 * byteCount)
  }

  /// Creates a source from a decoded image.
  public static func bitmap(_ bitmap: Bitmap) -> ImageSource { .bitmap(ImageBitmap(bitmap)) }

  /// Creates a source from the bytes of a file.
  public static func data(_ bytes: [UInt8]) -> ImageSource { .data(ImageData(bytes)) }

  /// Returns the image, decoded on the calling thread.
  ///
  /// Call from any thread. `isCancelled` is called every few rows. For a JPEG
  /// in several scans, it is called after each row of blocks of each scan. The
  /// number of scans multiplied by the number of pixels may be at most 2^30.
  /// This allows 500 scans of 2 million pixels or 16 scans of the largest
  /// image. No image may have more than 500 scans.
  ///
  /// - Throws: `ImageError` if the file cannot be decoded; `DisplayError` if
  ///   there is not enough memory; `CancellationError` once `isCancelled`
  ///   returns true.
  public func decode(from pool: BitmapPool, isCancelled: () -> Bool = { false }) throws -> Bitmap {
    switch self {
    case .bitmap(let picture): return picture.bitmap
    case .data(let data):
      return try data.bytes.withUnsafeBufferPointer {
        try PictureDecoder.decode($0, from: pool, isCancelled: isCancelled)
      }
    case .file(let path):
      return try PictureFile.read(path, isCancelled: isCancelled).withUnsafeBufferPointer {
        try PictureDecoder.decode($0, from: pool, isCancelled: isCancelled)
      }
    }
  }
}

/// The bytes of an image file.
///
/// Equality compares the number of bytes and a 64-bit hash that is computed
/// once, because nodes compare sources on the loop. The hash is Swift's own,
/// whose key differs between processes. An attacker can therefore not prepare a
/// file whose hash equals the hash of another file.
public struct ImageData: Hashable, Sendable {
  /// The bytes.
  public let bytes: [UInt8]

  private let digest: Int

  /// Creates image data.
  ///
  /// Call from any thread. Hash large files off the loop.
  ///
  /// - Complexity: O(n) in the number of bytes.
  public init(_ bytes: [UInt8]) {
    self.bytes = bytes
    var hasher = Hasher()
    bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    digest = hasher.finalize()
  }

  /// Returns whether both values have the same number of bytes and the same
  /// hash.
  ///
  /// - Complexity: O(1).
  public static func == (left: ImageData, right: ImageData) -> Bool {
    left.digest == right.digest && left.bytes.count == right.bytes.count
  }

  /// Hashes the stored hash of the bytes.
  public func hash(into hasher: inout Hasher) { hasher.combine(digest) }
}

/// A bitmap that is compared by identity.
public struct ImageBitmap: Hashable, Sendable {
  /// The bitmap.
  public let bitmap: Bitmap

  /// Creates a source that refers to `bitmap`.
  public init(_ bitmap: Bitmap) { self.bitmap = bitmap }

  /// Returns whether both values refer to the same bitmap.
  public static func == (left: ImageBitmap, right: ImageBitmap) -> Bool {
    left.bitmap === right.bitmap
  }

  /// Hashes the identity of the bitmap.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(bitmap)) }
}
