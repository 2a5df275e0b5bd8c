/// Small files that require much work or memory to decode.
enum HostilePictures {
  /// A JPEG whose header declares `width` by `height` pixels.
  struct JPEG {
    /// The start-of-frame marker. 0xC2 means progressive, and 0xC0 means
    /// baseline.
    var kind: UInt8 = 0xC2
    var precision: UInt8 = 8
    var width: Int
    var height: Int
    /// The sampling factors of each component. Four bits are horizontal, and
    /// four bits are vertical.
    var factors: [UInt8] = [0x11]
    /// The number of bytes per scan. All bytes are zero, and each bit is one
    /// black block.
    var scans: [Int] = [1]
    /// The number of bytes of Exif data.
    var notes = 0

    var bytes: [UInt8] {
      var bytes: [UInt8] = [0xFF, 0xD8]
      var left = notes
      while left > 0 {
        let count = min(left, 60_000)
        bytes += segment(0xE1, Array("Exif\0\0".utf8) + [UInt8](repeating: 0, count: count))
        left -= count
      }
      bytes += segment(0xDB, [0] + [UInt8](repeating: 1, count: 64))
      var frame = [precision]
      frame += word(height)
      frame += word(width)
      frame.append(UInt8(factors.count))
      for (index, factor) in factors.enumerated() { frame += [UInt8(index + 1), factor, 0] }
      bytes += segment(kind, frame)
      // Each table has one code of one bit, for the value zero. The DC table
      // comes first, followed by the AC table.
      for table in [0x00, 0x10] as [UInt8] {
        bytes += segment(0xC4, [table, 1] + [UInt8](repeating: 0, count: 15) + [0])
      }
      let isProgressive = [0xC2, 0xCA].contains(kind)
      for count in scans {
        // The scan contains only the first component.
        bytes += segment(0xDA, [1, 1, 0, 0, isProgressive ? 0 : 63, 0])
        bytes += [UInt8](repeating: 0, count: count)
      }
      return bytes + [0xFF, 0xD9]
    }

    private func word(_ value: Int) -> [UInt8] {
      [UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)]
    }

    private func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
      [0xFF, marker] + word(content.count + 2) + content
    }
  }

  /// Returns an interlaced PNG of black pixels with `depth` bits of color type
  /// `color`.
  static func png(_ width: Int, _ height: Int, depth: Int, color: UInt8) -> [UInt8] {
    let channels = [0: 1, 2: 3, 4: 2, 6: 4][color] ?? 1
    var count = 0
    let passes = [
      (0, 8, 0, 8), (4, 8, 0, 8), (0, 4, 4, 8), (2, 4, 0, 4), (0, 2, 2, 4), (1, 2, 0, 2),
      (0, 1, 1, 2),
    ]
    for (x, across, y, down) in passes {
      let (wide, high) = ((width - x + across - 1) / across, (height - y + down - 1) / down)
      if wide > 0, high > 0 { count += high * (1 + (wide * channels * depth + 7) / 8) }
    }
    let header =
      Checksum.number(UInt32(width)) + Checksum.number(UInt32(height))
      + [UInt8(depth), color, 0, 0, 1]
    return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
      + Checksum.chunk("IHDR", header) + Checksum.chunk("IDAT", zeros(count))
      + Checksum.chunk("IEND", [])
  }

  // Returns `count` zeros compressed as well as zlib can compress them, which
  // is 258 bytes in 13 bits.
  private static func zeros(_ count: Int) -> [UInt8] {
    var (bytes, bits, used) = ([0x78, 0xDA] as [UInt8], UInt64(0), UInt64(0))
    // The first bit of a code is the least significant bit of `code`.
    func put(_ code: UInt64, _ length: UInt64) {
      bits |= code << used
      used += length
      while used >= 8 {
        bytes.append(UInt8(truncatingIfNeeded: bits))
        (bits, used) = (bits >> 8, used - 8)
      }
    }
    put(0b011, 3)
    var left = count
    // The literal 0, code 0x30.
    func literal() { put(0b0000_1100, 8) }
    literal()
    left -= 1
    while left > 0 {
      if left >= 258 {
        // Length 258, code 0xC5, at distance 1.
        put(0b1010_0011, 8)
        put(0, 5)
        left -= 258
      } else {
        literal()
        left -= 1
      }
    }
    put(0, 7)
    if used > 0 { put(0, 8 - used) }
    // The Adler-32 checksum of zeros.
    return bytes + Checksum.number(UInt32(count % 65_521) << 16 | 1)
  }
}
