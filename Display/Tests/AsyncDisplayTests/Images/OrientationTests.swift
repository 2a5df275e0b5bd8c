import AsyncDisplay
import Testing

@Suite("Pictures of turned cameras")
struct OrientationTests {
  private let pool = BitmapPool()

  // D10
  @Test("they come the right way up, as gdk-pixbuf turns them", arguments: 1...8)
  func turned(_ orientation: Int) throws {
    // Of more rows than are turned at once, and of odd edges.
    let bytes = Pictures.turned(Pictures.file("jpeg", 37, 21), orientation)
    let bitmap = try ImageSource.data(bytes).decode(from: pool)
    let expected = try #require(PixbufReader.pixels(of: bytes, "jpeg"))
    #expect(bitmap.pixels.width == (orientation < 5 ? 37 : 21))
    let isSame = bitmap.withPixels { $0.elementsEqual(expected) }
    #expect(isSame)
  }

  @Test("what says no way that there is comes as it is", arguments: [0, 9, 65_535])
  func odd(_ orientation: Int) throws {
    let plain = Pictures.file("jpeg", 37, 21)
    let bitmap = try ImageSource.data(Pictures.turned(plain, orientation)).decode(from: pool)
    let isSame = bitmap.hasSamePixels(as: try ImageSource.data(plain).decode(from: pool))
    #expect(isSame)
  }

  // D-31
  @Test("turning asks every 16 rows", arguments: [1, 3, 6])
  func polls(_ orientation: Int) throws {
    let bytes = Pictures.turned(Pictures.file("jpeg", 64, 64), orientation)
    let asked = Tally()
    _ = try ImageSource.data(bytes).decode(from: pool) {
      asked.count()
      return false
    }
    // Before there is memory, and four blocks of rows.
    #expect(asked.value == 1 + 4)
  }
}

extension Pictures {
  /// A JPEG with a camera's note of which way it was held.
  static func turned(_ jpeg: [UInt8], _ orientation: Int) -> [UInt8] {
    let directory: [UInt8] = [
      0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1,
      UInt8(orientation >> 8), UInt8(orientation & 255), 0, 0, 0, 0, 0, 0,
    ]
    let note = Array("Exif\0\0".utf8) + directory
    let head: [UInt8] = [0xFF, 0xE1, 0, UInt8(note.count + 2)]
    return Array(jpeg[..<2]) + head + note + jpeg[2...]
  }
}
