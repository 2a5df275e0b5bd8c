import AsyncDisplay
import LoopTransactionsTesting
import Testing

@Suite("ImageSource")
struct ImageSourceTests {
  private let pool = BitmapPool()

  // D10
  @Test("PNG and JPEG are decoded, and translucent pixels are premultiplied")
  func decodes() throws {
    let png = try ImageSource.data(Pictures.file("png", 5, 3)).decode(from: pool)
    #expect(png.pixels == PixelSize(width: 5, height: 3))
    #expect(png.pixel(0, 0) == 0xFF00_0000 && png.pixel(4, 0) == 0xFFFF_0000)
    #expect(png.pixel(0, 2) == 0xFF00_FF00 && png.pixel(4, 2) == 0xFFFF_FF00)
    let jpeg = try ImageSource.data(Pictures.file("jpeg", 16, 16)).decode(from: pool)
    #expect(jpeg.pixels == PixelSize(width: 16, height: 16))
    #expect(jpeg.pixel(15, 0) >> 16 & 255 > 230 && jpeg.pixel(0, 0) >> 16 & 255 < 25)
    let clear = try ImageSource.data(Pictures.file("png", 2, 2, alpha: 128)).decode(from: pool)
    #expect(clear.pixel(1, 1) == 0x8080_8000)
  }

  // O10
  @Test("image data is equal if all bytes are equal, and equal image data has equal hashes")
  func equality() {
    let bytes = Pictures.file("png", 40, 30)
    // A copy in separate memory.
    let (one, same) = (ImageData(bytes), ImageData(bytes.map { $0 }))
    #expect(one == same && Set([one, same]).count == 1)
    for index in [0, bytes.count / 2, bytes.count - 1] {
      var other = bytes
      other[index] ^= 1
      #expect(one != ImageData(other))
    }
    #expect(one != ImageData(bytes.dropLast()) && one != ImageData(bytes + [0]))
    #expect(ImageData([]) == ImageData([]) && ImageData([]) != ImageData([0]))
  }

  @Test("a file that is not a picture, is truncated or is too large is rejected with the reason")
  func refuses() throws {
    let png = Pictures.file("png", 200, 200)
    func failure(_ bytes: [UInt8]) -> ImageError? {
      do {
        _ = try ImageSource.data(bytes).decode(from: pool)
        return nil
      } catch { return error as? ImageError }
    }
    #expect(failure([]) == .unknownFormat)
    #expect(failure(Array("GIF89a".utf8)) == .unknownFormat)
    #expect(failure(Array("<svg/>".utf8)) == .unknownFormat)
    guard case .damaged = failure(Array(png.prefix(png.count / 2))) else {
      let other = String(describing: failure(Array(png.prefix(100))))
      Issue.record("half a PNG was not rejected as damaged; its first 100 bytes: \(other)")
      return
    }
    // The header declares 100,000 by 100,000 pixels. No memory is allocated for
    // them, whether the checksum is wrong or correct.
    var huge = png
    for (index, byte) in [0, 1, 0x86, 0xA0, 0, 1, 0x86, 0xA0].enumerated() {
      huge[16 + index] = UInt8(byte)
    }
    #expect(failure(huge) != nil)
    for (index, byte) in Checksum.crc(huge[12..<29]).enumerated() { huge[29 + index] = byte }
    #expect(failure(huge) == .tooManyPixels(width: 100_000, height: 100_000))
    #expect(throws: ImageError.unreadable(path: "/nowhere.png", code: 2)) {
      try ImageSource.file("/nowhere.png").decode(from: pool)
    }
    #expect(pool.metrics.lent == 0)
  }

  @Test(
    "hostile files are decoded or rejected, and leave no bitmap in use",
    arguments: ["png", "jpeg"]
  )
  func fuzzed(_ type: String) {
    var generator = SeededGenerator(seed: 11)
    let good = Pictures.file(type, 40, 30)
    for _ in 0..<1500 {
      var bytes = good
      for _ in 0...(generator.next() % 6) {
        let place = Int(generator.next() % UInt64(bytes.count))
        bytes[place] = UInt8(truncatingIfNeeded: generator.next())
      }
      if generator.next() % 4 == 0 { bytes.removeLast(Int(generator.next() % 100)) }
      if type == "png", generator.next() % 2 == 0 { Checksum.repair(&bytes) }
      // try?: the picture may be rejected or decoded. The test is that the call
      // returns.
      _ = try? ImageSource.data(bytes).decode(from: pool)
    }
    #expect(pool.metrics.lent == 0)
  }

  @Test("decoding is cancelled between chunks and rows")
  func cancelled() {
    let bytes = Pictures.file("png", 600, 600)
    let asked = Tally()
    #expect(throws: CancellationError.self) {
      try ImageSource.data(bytes).decode(from: pool) { asked.count() > 6 }
    }
    #expect(asked.value < 12 && pool.metrics.lent == 0)
  }
}

/// A counter that only one thread uses.
final class Tally {
  private(set) var value = 0

  /// Increments the count and returns it.
  @discardableResult
  func count() -> Int {
    value += 1
    return value
  }
}
