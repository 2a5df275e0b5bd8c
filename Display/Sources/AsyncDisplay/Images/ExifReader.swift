/// Reads the metadata of a camera. The format is Exif, a TIFF structure without
/// an image.
struct ExifReader {
  private let bytes: UnsafeBufferPointer<UInt8>
  private let isLittle: Bool

  /// Creates a reader of `bytes`, which begin with the byte order mark of TIFF.
  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
    isLittle = bytes.starts(with: "II".utf8)
  }

  /// The orientation as a number from 1 to 8, as defined by Exif. Returns 1,
  /// which is upright, if the orientation is missing.
  var orientation: Int {
    guard isLittle || bytes.starts(with: "MM".utf8), number(2, at: 2) == 42,
      let start = number(4, at: 4), let count = number(2, at: start)
    else { return 1 }
    for entry in 0..<count {
      let place = start + 2 + 12 * entry
      guard let tag = number(2, at: place) else { return 1 }
      // The value must be exactly one 2-byte number.
      guard tag == 0x0112, number(2, at: place + 2) == 3, number(4, at: place + 4) == 1 else {
        continue
      }
      return number(2, at: place + 8) ?? 1
    }
    return 1
  }

  // Returns the number of `size` bytes at `place`, or nil if it is beyond the
  // end.
  private func number(_ size: Int, at place: Int) -> Int? {
    guard place + size <= bytes.count else { return nil }
    return (0..<size).reduce(0) { number, index in
      number << 8 | Int(bytes[place + (isLittle ? size - 1 - index : index)])
    }
  }
}
