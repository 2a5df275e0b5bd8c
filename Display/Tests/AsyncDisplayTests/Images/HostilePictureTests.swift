import AsyncDisplay
import Testing

@Suite("Hostile pictures")
struct HostilePictureTests {
  private typealias JPEG = HostilePictures.JPEG
  private let pool = BitmapPool(keepLimit: 0)

  // Decodes `bytes`. Returns the number of polls for cancellation and the
  // error.
  private func looks(_ bytes: [UInt8], stopAt limit: Int = .max) -> (Int, (any Error)?) {
    let asked = Tally()
    do {
      _ = try ImageSource.data(bytes).decode(from: pool) { asked.count() >= limit }
      return (asked.value, nil)
    } catch {
      return (asked.value, error)
    }
  }

  @Test(
    "a progressive JPEG whose coefficients need over 120 MiB is rejected by its header",
    arguments: [
      (16_384, 4096, [0x11, 0x11, 0x11] as [UInt8], 402_653_184),
      (16_384, 4096, [0x22, 0x11, 0x11], 201_326_592),
      (16_384, 4096, [0x11], 134_217_728),
      // Sizes that are not a multiple of the block size are rounded up to whole
      // blocks.
      (8193, 8191, [0x44, 0x11, 0x14], 8224 / 32 * (8192 / 32) * 21 * 128),
    ]
  )
  func coefficients(_ width: Int, _ height: Int, _ factors: [UInt8], _ byteCount: Int) {
    for kind in [0xC0, 0xC2] as [UInt8] where kind == 0xC2 || factors.count > 1 {
      let bytes = JPEG(kind: kind, width: width, height: height, factors: factors).bytes
      let (asked, error) = looks(bytes)
      #expect(error as? ImageError == .tooManyCoefficients(byteCount: byteCount))
      #expect(asked == 0 && pool.metrics.peakLentBytes == 0)
    }
  }

  @Test("a large file may need 32 times its own size")
  func largeFile() {
    let jpeg = JPEG(width: 16_384, height: 4096, factors: [0x11, 0x11, 0x11]).bytes
    func error(_ count: Int) -> (any Error)? {
      looks(jpeg + [UInt8](repeating: 0, count: count - jpeg.count), stopAt: 1).1
    }
    let least = 402_653_184 / 32
    #expect(error(least - 1) as? ImageError == .tooManyCoefficients(byteCount: 402_653_184))
    // The file would be decoded if the decoding were not cancelled.
    #expect(error(least) is CancellationError)
  }

  @Test("scans times pixels is limited to 2^30, and each row of blocks of a scan is one step")
  func scans() {
    func looks(_ count: Int) -> (Int, (any Error)?) {
      let scans = [Int](repeating: 1, count: count)
      return self.looks(JPEG(width: 8192, height: 8192, scans: scans).bytes)
    }
    // The test uses 2^25 pixels, because 2^26 pixels of one component have too
    // many coefficients.
    let scans = [Int](repeating: 1, count: 40)
    let bytes = JPEG(width: 8192, height: 4096, scans: scans).bytes
    let (asked, error) = self.looks(bytes)
    #expect(error as? ImageError == .damaged("too many scans"))
    // There are 32 scans of 512 rows of blocks.
    #expect((32 * 512...33 * 512 + 64).contains(asked), "\(asked)")
    let few = JPEG(width: 8192, height: 4096, scans: Array(scans.prefix(32))).bytes
    #expect(self.looks(few).1 == nil)
    #expect(looks(1).1 as? ImageError == .tooManyCoefficients(byteCount: 128 << 20))
    #expect(pool.metrics.lent == 0)
  }

  // D8
  @Test("the coefficients of a progressive JPEG count as in flight together with its pixels")
  func inFlight() throws {
    let inScans = JPEG(kind: 0xC0, width: 20, height: 18, factors: [0x22, 0x11, 0x11]).bytes
    let inOne = JPEG(kind: 0xC0, width: 20, height: 18).bytes
    // There are four groups of six blocks of 128 bytes each.
    let cases = [
      (PictureKind.progressive.bytes, 0, 1440 + 3072), (inScans, 0, 1440 + 3072),
      (inScans, 1, 1440 + 3072), (inScans, 4, 5 * 1440), (inOne, 0, 1440), (inOne, 1, 2 * 1440),
      (PictureKind.cmyk.bytes, 0, 1440),
    ]
    for (bytes, made, expected) in cases {
      try withDisplay { display in
        let node = ImageNode()
        node.frame = Rect(x: 0, y: 0, width: 4, height: 4)
        node.image = .data(bytes)
        node.modification = ImageModification("\(made)", bitmapCount: made) { bitmap, _, _ in
          bitmap
        }
        node.load(in: display)
        let isFinished = display.settle()
        #expect(isFinished && node.failure == nil)
        #expect(display.metrics.peakInFlightBytes == expected)
      }
    }
  }

  @Test("a picture that is rejected because of its coefficients needs no memory in flight")
  func refused() throws {
    try withDisplay { display in
      let node = ImageNode()
      node.frame = Rect(x: 0, y: 0, width: 4, height: 4)
      node.image = .data(JPEG(width: 16_384, height: 4096, factors: [0x11, 0x11, 0x11]).bytes)
      node.load(in: display)
      let isFinished = display.settle()
      #expect(isFinished && node.failure is ImageError)
      #expect(display.metrics.peakInFlightBytes <= 4 * 4 * 4)
    }
  }

  @Test(
    "JPEGs that libjpeg cannot read are rejected: 12 bits, lossless, hierarchical, unsized",
    arguments: [
      JPEG(precision: 12, width: 64, height: 64),
      JPEG(kind: 0xC0, precision: 12, width: 64, height: 64),
      JPEG(kind: 0xC3, width: 64, height: 64), JPEG(kind: 0xC5, width: 64, height: 64),
      JPEG(kind: 0xC0, width: 64, height: 0), JPEG(kind: 0xC0, width: 65_000, height: 65_000),
      JPEG(kind: 0xC0, width: 64, height: 64, factors: [0x55]),
      JPEG(kind: 0xC0, width: 64, height: 64, factors: [UInt8](repeating: 0x11, count: 12)),
    ].map(\.bytes)
  )
  func kinds(_ bytes: [UInt8]) {
    let (asked, error) = looks(bytes)
    #expect(error is ImageError && asked <= 1, "\(String(describing: error))")
    #expect(pool.metrics.peakLentBytes == 0)
  }

  @Test(
    "for every JPEG coding, a step is at most 16 rows or one row of blocks",
    arguments: [0xC0, 0xC9, 0xCA]
  )
  func coded(_ kind: UInt8) {
    let bytes = JPEG(kind: kind, width: 4096, height: 2048, scans: [200_000]).bytes
    let (asked, error) = looks(bytes)
    // Arithmetic coding is optional in libjpeg, so an error is accepted.
    #expect(error is ImageError || asked >= 2048 / 16)
  }

  @Test("a JPEG with a megabyte of Exif data is decoded normally")
  func notes() {
    let (asked, error) = looks(JPEG(kind: 0xC0, width: 64, height: 64, notes: 1_000_000).bytes)
    #expect(error == nil && asked >= 4)
  }

  @Test(
    "a step of an interlaced PNG is 16 rows of one of seven passes, however small the file is",
    arguments: [(1, 0), (16, 6)] as [(Int, UInt8)]
  )
  func interlaced(_ depth: Int, _ color: UInt8) {
    let bytes = HostilePictures.png(4096, 2048, depth: depth, color: color)
    #expect(bytes.count < 600_000)
    let (asked, error) = looks(bytes)
    #expect(error == nil && asked >= 7 * 2048 / 16, "\(asked)")
    for size in [(100_000, 4), (16_384, 8192), (4, 100_000)] {
      let (asked, error) = looks(HostilePictures.png(size.0, size.1, depth: 1, color: 0))
      #expect(error as? ImageError == .tooManyPixels(width: size.0, height: size.1))
      #expect(asked < 20)
    }
  }
}
