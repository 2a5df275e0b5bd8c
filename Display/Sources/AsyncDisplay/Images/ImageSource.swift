/// Where a picture comes from. Equal ones that are wanted at the same time are decoded
/// once.
public enum ImageSource: Hashable, Sendable {
  /// A file, a PNG or a JPEG, read when it is wanted: no pipe, and no device.
  case file(String)
  /// What such a file has in it.
  case data(ImageData)
  /// A picture that is decoded already.
  case bitmap(ImageBitmap)

  /// So many bytes a file may have: 64 MiB.
  public static let largestFile = 64 << 20

  /// So many bytes the coefficients of a JPEG in scans may need beside its pixels: 120 MiB,
  /// or 32 times the bytes of its file if that is more.
  ///
  /// A JPEG in one scan keeps none. One in scans keeps two bytes for each sample, 3 to 6
  /// bytes a pixel in most files, until the last scan is read.
  public static let largestCoefficients = 120 << 20

  // What a file of so many bytes may need.
  static func coefficientLimit(ofFile byteCount: Int) -> Int {
    max(largestCoefficients, 32 * byteCount)
  }

  /// A picture that is decoded already.
  public static func bitmap(_ bitmap: Bitmap) -> ImageSource { .bitmap(ImageBitmap(bitmap)) }

  /// The bytes of a picture's file.
  public static func data(_ bytes: [UInt8]) -> ImageSource { .data(ImageData(bytes)) }

  /// The picture, decoded on this thread.
  ///
  /// Call from any thread. `isCancelled` is asked after each few rows, of a JPEG in scans
  /// after each row of blocks of each scan. Scans times pixels may be 2^30: 500 scans of 2
  /// million pixels, which is the most scans of any picture, or 16 of the largest picture.
  ///
  /// - Throws: An `ImageError`; a `DisplayError` if there is no memory; a
  ///   `CancellationError` once `isCancelled` says so.
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

/// The bytes of a picture's file; equal if they are.
///
/// Compared by how many there are and by a hash of all of them, made once, and not byte
/// by byte: nodes are compared on the loop. The hash is Swift's, of 64 bits, whose key
/// differs by process, so that nobody can make a file that has another's.
public struct ImageData: Hashable, Sendable {
  /// The bytes.
  public let bytes: [UInt8]

  private let digest: Int

  /// These bytes.
  ///
  /// Call from any thread; with a large file, off the loop.
  ///
  /// - Complexity: O(n) in the bytes.
  public init(_ bytes: [UInt8]) {
    self.bytes = bytes
    var hasher = Hasher()
    bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    digest = hasher.finalize()
  }

  /// Whether both have the same bytes.
  ///
  /// - Complexity: O(1).
  public static func == (left: ImageData, right: ImageData) -> Bool {
    left.digest == right.digest && left.bytes.count == right.bytes.count
  }

  /// Hashes them.
  public func hash(into hasher: inout Hasher) { hasher.combine(digest) }
}

/// A bitmap by its identity.
public struct ImageBitmap: Hashable, Sendable {
  /// The bitmap.
  public let bitmap: Bitmap

  /// This very bitmap.
  public init(_ bitmap: Bitmap) { self.bitmap = bitmap }

  /// Whether both are the same bitmap.
  public static func == (left: ImageBitmap, right: ImageBitmap) -> Bool {
    left.bitmap === right.bitmap
  }

  /// Hashes its identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(bitmap)) }
}
