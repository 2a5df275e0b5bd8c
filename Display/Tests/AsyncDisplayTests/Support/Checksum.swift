/// The checksums of PNG chunks.
enum Checksum {
  /// Returns the CRC of `bytes`.
  static func crc(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    var value = UInt32.max
    for byte in bytes {
      value ^= UInt32(byte)
      for _ in 0..<8 { value = value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
    }
    return number(~value)
  }

  /// Returns `value` as four big-endian bytes.
  static func number(_ value: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
  }

  /// Recomputes the checksums of all chunks of `png`.
  static func repair(_ png: inout [UInt8]) {
    var start = 8
    while start + 12 <= png.count {
      let length = png[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
      let end = start + 8 + length
      guard end + 4 <= png.count else { return }
      png.replaceSubrange(end..<end + 4, with: crc(png[start + 4..<end]))
      start = end + 4
    }
  }

  /// Returns a chunk called `name` that contains `bytes`.
  static func chunk(_ name: String, _ bytes: [UInt8]) -> [UInt8] {
    let named = Array(name.utf8) + bytes
    return number(UInt32(bytes.count)) + named + crc(named)
  }
}
