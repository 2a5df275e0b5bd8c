import AsyncDisplay
import Testing

@Suite("BitmapPool")
struct BitmapPoolTests {
  // D8
  @Test("memory comes back at once, is used again, and is zero by then")
  func reuses() throws {
    let pool = BitmapPool(keepLimit: 1 << 20)
    let pixels = PixelSize(width: 64, height: 64)
    var first: Bitmap? = try Bitmap.draw(pixels, from: pool) { $0.fill(with: .white) }
    #expect(first?.firstPixel == 0xFFFF_FFFF)
    #expect(pool.metrics.lent == 1 && pool.metrics.keptBytes == 0)
    first = nil
    #expect(pool.metrics.lent == 0 && pool.metrics.keptBytes >= pixels.byteCount)
    let second = try Bitmap.draw(pixels, from: pool) { _ in }
    #expect(pool.metrics.reused == 1 && pool.metrics.allocated == 1)
    let isZero = second.withPixels { $0.allSatisfy { $0 == 0 } }
    #expect(isZero)
  }

  // D2, D8
  @Test("memory that is used again is made zero in steps, and cancelled between them")
  func cancelled() throws {
    let pool = BitmapPool(keepLimit: 1 << 23)
    let pixels = PixelSize(width: 1024, height: 1024)
    _ = try Bitmap.draw(pixels, from: pool) { $0.fill(with: .white) }
    var asked = 0
    func make(until last: Int) throws -> Bitmap {
      try Bitmap(pixels, scale: 1, from: pool) {
        asked += 1
        return asked == last
      }
    }
    #expect(throws: CancellationError.self) { try make(until: 3) }
    #expect(asked == 3 && pool.metrics.lent == 0 && pool.metrics.allocated == 1)
    asked = 0
    let isZero = try make(until: .max).withPixels { $0.allSatisfy { $0 == 0 } }
    #expect(isZero && asked == 16 && pool.metrics.reused == 2)
  }

  // D8
  @Test("what is kept is bounded, the oldest freed first; what is larger is freed at once")
  func bounded() throws {
    let pool = BitmapPool(keepLimit: 100_000)
    func draw(_ edge: Int) throws -> Bitmap {
      try Bitmap.draw(PixelSize(width: edge, height: edge), from: pool) { _ in }
    }
    var some = try [100, 120, 100].map(draw)
    some.removeAll()
    #expect(pool.metrics.keptBytes <= 100_000 && pool.metrics.keptBytes > 0)
    let kept = pool.metrics.keptBytes
    some = try [300].map(draw)
    some.removeAll()
    #expect(pool.metrics.keptBytes == kept)
    pool.trim()
    #expect(pool.metrics.keptBytes == 0 && pool.metrics.lentBytes == 0)
  }

  @Test("a drawing that throws gives its memory back")
  func throwing() {
    struct Failure: Error {}
    let pool = BitmapPool(keepLimit: 0)
    #expect(throws: Failure.self) {
      try Bitmap.draw(PixelSize(width: 8, height: 8), from: pool) { _ in throw Failure() }
    }
    #expect(pool.metrics.lent == 0)
  }
}
