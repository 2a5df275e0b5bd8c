import AsyncDisplay
import LoopTransactionsTesting
import Testing

@Suite("Kinds of pictures")
struct PictureKindTests {
  private let pool = BitmapPool()

  // D10
  @Test("each is decoded to the bytes that gdk-pixbuf has", arguments: PictureKind.allCases)
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
  @Test("inks are read as Adobe's programs write them, whoever wrote them")
  func plainInks() throws {
    // Without its second segment, which says that.
    let adobe = PictureKind.cmyk.bytes
    let bytes = Array(adobe[..<2] + adobe[(4 + Int(adobe[5]))...])
    let bitmap = try ImageSource.data(bytes).decode(from: pool)
    let expected = try #require(PixbufReader.pixels(of: bytes, "jpeg"))
    let isSame = bitmap.withPixels { $0.elementsEqual(expected) }
    #expect(isSame)
  }

  @Test("any of their bits may be wrong, or missing", arguments: PictureKind.allCases)
  func fuzzed(_ kind: PictureKind) {
    var generator = SeededGenerator(seed: 12)
    for _ in 0..<1000 {
      var bytes = kind.bytes
      for _ in 0...(generator.next() % 4) {
        let place = Int(generator.next() % UInt64(bytes.count))
        bytes[place] ^= 1 << UInt8(generator.next() % 8)
      }
      if generator.next() % 4 == 0 { bytes.removeLast(Int(generator.next() % 60)) }
      // try?: refused is as good as decoded; what counts is that it ends.
      _ = try? ImageSource.data(bytes).decode(from: pool)
    }
    #expect(pool.metrics.lent == 0)
  }

  // D-31
  @Test("a JPEG in scans is cancelled between any two rows of blocks of any scan")
  func scans() {
    let bytes = PictureKind.progressive.bytes
    let whole = Tally()
    #expect(throws: Never.self) {
      try ImageSource.data(bytes).decode(from: pool) {
        whole.count()
        return false
      }
    }
    // Ten scans, of two rows of blocks each at least.
    #expect(whole.value > 20)
    for limit in 0..<whole.value {
      let asked = Tally()
      #expect(throws: CancellationError.self) {
        try ImageSource.data(bytes).decode(from: pool) { asked.count() > limit }
      }
      #expect(asked.value == limit + 1 && pool.metrics.lent == 0)
    }
  }

  // D-30
  @Test("a JPEG of more scans than any program writes is refused: each costs all pixels")
  func manyScans() throws {
    let bytes = PictureKind.progressive.bytes
    let last = try #require(bytes.indices.last { bytes[$0...].starts(with: [0xFF, 0xDA]) })
    let scan = bytes[last..<(bytes.count - 2)]
    func decode(_ count: Int) throws {
      let more = (0..<count).flatMap { _ in scan }
      _ = try ImageSource.data(bytes.dropLast(2) + more + bytes.suffix(2)).decode(from: pool)
    }
    try decode(300)
    #expect(throws: ImageError.damaged("more than 500 scans")) { try decode(600) }
  }
}
