import AsyncDisplay
import LoopTransactionsTesting
import Testing

@Suite("Kinds of pictures")
struct PictureKindTests {
  private let pool = BitmapPool()

  // D10
  @Test(
    "every kind of picture is decoded to the same pixels as by gdk-pixbuf",
    arguments: PictureKind.allCases
  )
  func kinds(_ kind: PictureKind) throws {
    let bitmap = try ImageSource.data(kind.bytes).decode(from: pool)
    let expected = try #require(
      PixbufReader.pixels(of: kind.bytes, kind.isJPEG ? "jpeg" : "png")
    )
    #expect(bitmap.pixels == PixelSize(width: 20, height: 18) && Set(expected).count > 1)
    let isSame = bitmap.withPixels { $0.elementsEqual(expected) }
    #expect(isSame)
  }

  // D10
  @Test("CMYK values are read as inverted, with and without an Adobe marker")
  func plainInks() throws {
    // The second file lacks the second segment, which is the Adobe marker.
    let adobe = PictureKind.cmyk.bytes
    let bytes = Array(adobe[..<2] + adobe[(4 + Int(adobe[5]))...])
    let bitmap = try ImageSource.data(bytes).decode(from: pool)
    let expected = try #require(PixbufReader.pixels(of: bytes, "jpeg"))
    let isSame = bitmap.withPixels { $0.elementsEqual(expected) }
    #expect(isSame)
  }

  @Test(
    "pictures with flipped or missing bits are decoded or rejected",
    arguments: PictureKind.allCases
  )
  func fuzzed(_ kind: PictureKind) {
    var generator = SeededGenerator(seed: 12)
    for _ in 0..<1000 {
      var bytes = kind.bytes
      for _ in 0...(generator.next() % 4) {
        let place = Int(generator.next() % UInt64(bytes.count))
        bytes[place] ^= 1 << UInt8(generator.next() % 8)
      }
      if generator.next() % 4 == 0 { bytes.removeLast(Int(generator.next() % 60)) }
      if !kind.isJPEG { Checksum.repair(&bytes) }
      // try?: the picture may be rejected or decoded. The test is that the call
      // returns.
      _ = try? ImageSource.data(bytes).decode(from: pool)
    }
    #expect(pool.metrics.lent == 0)
  }

  @Test(
    "a JPEG can be cancelled between rows of blocks of any scan, and a PNG at every read",
    arguments: [PictureKind.progressive, .interlaced, .palette]
  )
  func cancelled(_ kind: PictureKind) {
    let whole = Tally()
    #expect(throws: Never.self) {
      try ImageSource.data(kind.bytes).decode(from: pool) {
        whole.count()
        return false
      }
    }
    // A JPEG has ten scans of at least two rows of blocks. A PNG has at least
    // four chunks, each in several reads.
    #expect(whole.value > (kind.isJPEG ? 20 : 12))
    for limit in 0..<whole.value {
      let asked = Tally()
      #expect(throws: CancellationError.self) {
        try ImageSource.data(kind.bytes).decode(from: pool) { asked.count() > limit }
      }
      #expect(asked.value == limit + 1 && pool.metrics.lent == 0)
    }
  }

  @Test("a PNG with excess data after its pixels is rejected before the excess data is read")
  func tail() throws {
    // The data is stored without compression. It has 4 bytes for the pixel,
    // followed by megabytes of zeros.
    func png(_ tail: Int) -> [UInt8] {
      let pixel: [UInt8] = [0, 10, 20, 30]
      var data: [UInt8] = [0x78, 0x01]
      var rest = pixel[...] + [UInt8](repeating: 0, count: tail)
      while !rest.isEmpty {
        let block = rest.prefix(65_535)
        rest = rest.dropFirst(block.count)
        let low = UInt8(block.count & 255)
        let high = UInt8(block.count >> 8)
        data += [rest.isEmpty ? 1 : 0, low, high, ~low, ~high] + block
      }
      // The Adler-32 checksum of the data.
      var (one, two) = (UInt32(1), UInt32(0))
      for byte in pixel + [UInt8](repeating: 0, count: tail) {
        one = (one + UInt32(byte)) % 65_521
        two = (two + one) % 65_521
      }
      data += Checksum.number(two << 16 | one)
      let header: [UInt8] = [0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0]
      return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        + Checksum.chunk("IHDR", header) + Checksum.chunk("IDAT", data)
        + Checksum.chunk("IEND", [])
    }
    #expect(try ImageSource.data(png(0)).decode(from: pool).firstPixel == 0xFF0A_141E)
    let asked = Tally()
    #expect(throws: ImageError.damaged("more data than the pixels need")) {
      try ImageSource.data(png(1 << 20)).decode(from: pool) {
        asked.count()
        return false
      }
    }
    // The decoder reads 8 KiB at a time, and 64 KiB at most.
    #expect(asked.value < 30)
  }

  @Test("a PNG with thousands of text chunks is decoded normally")
  func texts() throws {
    let bytes = PictureKind.palette.bytes
    // The chunks are marked as compressed, but are not.
    let text = Checksum.chunk("zTXt", Array("a\0\0".utf8) + [UInt8](repeating: 7, count: 5000))
    let more = Array(bytes[..<33]) + (0..<2000).flatMap { _ in text } + bytes[33...]
    let plain = try ImageSource.data(bytes).decode(from: pool)
    let isSame = try ImageSource.data(more).decode(from: pool).hasSamePixels(as: plain)
    #expect(isSame)
  }

  @Test("a JPEG with more than 500 scans is rejected")
  func manyScans() throws {
    let bytes = PictureKind.progressive.bytes
    let last = try #require(bytes.indices.last { bytes[$0...].starts(with: [0xFF, 0xDA]) })
    let scan = bytes[last..<(bytes.count - 2)]
    func decode(_ count: Int) throws {
      let more = (0..<count).flatMap { _ in scan }
      _ = try ImageSource.data(bytes.dropLast(2) + more + bytes.suffix(2)).decode(from: pool)
    }
    try decode(300)
    #expect(throws: ImageError.damaged("too many scans")) { try decode(600) }
  }
}
