import AsyncDisplay
import LoopTransactionsTesting
import Testing

@Suite("Exif orientation")
struct OrientationTests {
  private let pool = BitmapPool()

  // D10
  @Test("a picture is rotated upright as by gdk-pixbuf", arguments: 1...8, [true, false])
  func turned(_ orientation: Int, _ isLittle: Bool) throws {
    // The picture has more rows than are rotated in one step, and its sizes are
    // not multiples of a step.
    let jpeg = Pictures.file("jpeg", 37, 21)
    let bytes = Pictures.turned(jpeg, orientation, isLittle: isLittle)
    let bitmap = try ImageSource.data(bytes).decode(from: pool)
    let expected = try #require(PixbufReader.pixels(of: bytes, "jpeg"))
    #expect(bitmap.pixels.width == (orientation < 5 ? 37 : 21))
    let isSame = bitmap.withPixels { $0.elementsEqual(expected) }
    #expect(isSame)
  }

  @Test("a picture with an invalid orientation is not rotated", arguments: [0, 9, 65_535])
  func odd(_ orientation: Int) throws {
    let plain = Pictures.file("jpeg", 37, 21)
    let bitmap = try ImageSource.data(Pictures.turned(plain, orientation)).decode(from: pool)
    let isSame = bitmap.hasSamePixels(as: try ImageSource.data(plain).decode(from: pool))
    #expect(isSame)
  }

  @Test("Exif data may contain any bytes")
  func hostile() throws {
    let plain = Pictures.file("jpeg", 37, 21)
    let pixels = try ImageSource.data(plain).decode(from: pool)
    let notes: [[UInt8]] = [
      [], [0x4D], Array("MM".utf8), Array("II*\0".utf8), [0x4D, 0x4D, 0, 42, 0, 0, 0],
      [0x4D, 0x4D, 0, 42, 0xFF, 0xFF, 0xFF, 0xFF], [0x4D, 0x4D, 0, 42, 0, 0, 0, 7, 0xFF],
      [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0xFF, 0xFF, 1, 0x12, 0, 3, 0, 0, 0, 1, 0],
      [0x4D, 0x4D, 0, 43, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0],
      [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 4, 0, 0, 0, 1, 0, 6, 0, 0],
    ]
    for note in notes {
      let bytes = Pictures.noted(plain, Array("Exif\0\0".utf8) + note)
      let isSame = try ImageSource.data(bytes).decode(from: pool).hasSamePixels(as: pixels)
      #expect(isSame, "\(note)")
    }
    var generator = SeededGenerator(seed: 13)
    for _ in 0..<1000 {
      var bytes = Pictures.turned(plain, 6, isLittle: generator.next() % 2 == 0)
      for _ in 0...(generator.next() % 3) {
        bytes[12 + Int(generator.next() % 26)] = UInt8(truncatingIfNeeded: generator.next())
      }
      let size = try ImageSource.data(bytes).decode(from: pool).pixels
      #expect(size == pixels.pixels || size == PixelSize(width: 21, height: 37))
    }
  }

  @Test("Exif data may follow other segments and contain other entries")
  func behind() throws {
    let plain = Pictures.file("jpeg", 37, 21)
    let entry: [UInt8] = [1, 0x0F, 0, 2, 0, 0, 0, 4, 65, 66, 67, 0]
    let turn: [UInt8] = [1, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0]
    let note = Array("Exif\0\0MM".utf8) + [0, 42, 0, 0, 0, 8, 0, 2] + entry + turn
    let bytes = Pictures.noted(Pictures.noted(plain, note), Array("http://ns".utf8))
    let size = try ImageSource.data(bytes).decode(from: pool).pixels
    #expect(size == PixelSize(width: 21, height: 37))
  }

  @Test("rotating a picture polls every 16 rows", arguments: [1, 3, 6])
  func polls(_ orientation: Int) throws {
    let bytes = Pictures.turned(Pictures.file("jpeg", 64, 64), orientation)
    let asked = Tally()
    _ = try ImageSource.data(bytes).decode(from: pool) {
      asked.count()
      return false
    }
    // There is one poll before the memory is allocated, and one poll for each
    // of four blocks of rows.
    #expect(asked.value == 1 + 4)
  }
}

extension Pictures {
  /// Returns a JPEG with Exif data that contains `orientation`.
  static func turned(_ jpeg: [UInt8], _ orientation: Int, isLittle: Bool = false) -> [UInt8] {
    func number(_ value: Int, _ size: Int) -> [UInt8] {
      let bytes = (0..<size).map { UInt8(value >> (8 * $0) & 255) }
      return isLittle ? bytes : bytes.reversed()
    }
    let order = Array((isLittle ? "II" : "MM").utf8)
    let directory = number(42, 2) + number(8, 4) + number(1, 2)
    let entry = number(0x0112, 2) + number(3, 2) + number(1, 4) + number(orientation, 2) + [0, 0]
    return noted(jpeg, Array("Exif\0\0".utf8) + order + directory + entry + number(0, 4))
  }

  /// Returns a JPEG with an APP1 segment of `bytes` before all other segments.
  static func noted(_ jpeg: [UInt8], _ bytes: [UInt8]) -> [UInt8] {
    Array(jpeg[..<2]) + [0xFF, 0xE1, 0, UInt8(bytes.count + 2)] + bytes + jpeg[2...]
  }
}
