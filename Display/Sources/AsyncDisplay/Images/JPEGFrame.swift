/// The properties of a JPEG that follow from its header.
struct JPEGFrame {
  let width: Int
  let height: Int
  /// The number of bytes of coefficients to keep while decoding, or 0 if there
  /// is only one scan.
  private(set) var coefficientBytes = 0

  /// Parses the file that begins with `bytes`. Returns nil if `bytes` contain
  /// no frame header.
  init?(in bytes: [UInt8]) {
    func word(_ at: Int) -> Int { Int(bytes[at]) << 8 | Int(bytes[at + 1]) }
    var offset = 2
    // Advances from marker to marker up to a frame header. Skips other bytes,
    // as libjpeg does.
    while offset + 9 <= bytes.count {
      guard bytes[offset] == 0xFF else {
        offset += 1
        continue
      }
      switch bytes[offset + 1] {
      case 0xFF: offset += 1
      case 0x00, 0x01, 0xD0...0xD7: offset += 2
      case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
        (width, height) = (word(offset + 7), word(offset + 5))
        coefficientBytes = Self.coefficients(of: bytes[offset...], width, height)
        return
      // The segment length includes its own two bytes.
      default: offset += 2 + max(2, word(offset + 2))
      }
    }
    return nil
  }

  // Computes the number of bytes of coefficients of a frame. `bytes` begin with
  // the frame header.
  private static func coefficients(of bytes: ArraySlice<UInt8>, _ width: Int, _ height: Int) -> Int
  {
    guard let first = bytes.indices.dropFirst(9).first else { return 0 }
    let kind = bytes[bytes.startIndex + 1]
    let isProgressive = [0xC2, 0xC6, 0xCA, 0xCE].contains(kind)
    let parts = (0..<Int(bytes[first])).map { first + 1 + 3 * $0 }
    guard isProgressive || isInScans(bytes, parts.count) else { return 0 }
    guard let last = parts.last, last + 1 < bytes.endIndex else { return 0 }
    let factors = parts.map { (Int(bytes[$0 + 1] >> 4), Int(bytes[$0 + 1] & 15)) }
    guard factors.allSatisfy({ 1...4 ~= $0.0 && 1...4 ~= $0.1 }) else { return 0 }
    let (across, down) = factors.reduce((1, 1)) { (max($0.0, $1.0), max($0.1, $1.1)) }
    // In each group, a component has as many blocks as the product of its
    // sampling factors.
    let groups =
      ((width + 8 * across - 1) / (8 * across)) * ((height + 8 * down - 1) / (8 * down))
    return factors.reduce(0) { $0 + groups * $1.0 * $1.1 } * 128
  }

  // Returns whether the first scan lacks some components. Returns true if the
  // scan is beyond the end of `bytes`.
  private static func isInScans(_ bytes: ArraySlice<UInt8>, _ components: Int) -> Bool {
    if components <= 1 { return false }
    var offset = bytes.startIndex
    while offset + 4 < bytes.endIndex {
      guard bytes[offset] == 0xFF else {
        offset += 1
        continue
      }
      switch bytes[offset + 1] {
      case 0xFF: offset += 1
      case 0x00, 0x01, 0xD0...0xD7: offset += 2
      case 0xDA: return Int(bytes[offset + 4]) < components
      default: offset += 2 + max(2, Int(bytes[offset + 2]) << 8 | Int(bytes[offset + 3]))
      }
    }
    return true
  }
}
