import AsyncDisplay
import Testing

@Suite("Bands of a drawing")
struct BandTests {
  private let pool = BitmapPool()

  private func draw(
    _ height: Int,
    _ body: (DrawingContext) throws -> Void
  ) throws -> Bitmap {
    try Bitmap.draw(PixelSize(width: 40, height: height), from: pool, body)
  }

  private func picture() throws -> Bitmap {
    try ImageSource.data(Pictures.file("png", 30, 50)).decode(from: pool)
  }

  @Test("scaled bitmaps and gradients can be cancelled every 32 rows")
  func polls() throws {
    let picture = try picture()
    let rect = Rect(x: 0, y: 0, width: 40, height: 320)
    let gradient = Gradient([.init(0, .red), .init(1, .black)])
    var asked = 0
    _ = try draw(320) {
      try $0.draw(picture, in: rect) {
        asked += 1; return false
      }
    }
    #expect(asked == 10)
    _ = try draw(320) {
      try $0.fill(rect, with: gradient) {
        asked += 1; return false
      }
    }
    #expect(asked == 20)
    #expect(throws: CancellationError.self) {
      try draw(320) {
        try $0.draw(picture, in: rect) {
          asked += 1; return asked > 22
        }
      }
    }
    #expect(asked == 23)
    #expect(throws: CancellationError.self) {
      try draw(320) {
        try $0.fill(rect, with: gradient) {
          asked += 1; return true
        }
      }
    }
    #expect(asked == 24)
  }

  // D14
  @Test("band boundaries change no pixel, at fractional positions and scales, within a clip")
  func seamless() throws {
    let picture = try picture()
    let gradient = Gradient([.init(0, .red), .init(1, Color(white: 0, alpha: 0.3))])
    let rect = Rect(x: 1.3, y: 7.4, width: 33.1, height: 190.7)
    func paint(_ context: DrawingContext) throws {
      context.clip(to: Rect(x: 0.5, y: 3.5, width: 38, height: 190), radius: 9)
      try context.draw(picture, in: rect, alpha: 0.8)
      try context.fill(rect, with: gradient)
    }
    let whole = try draw(220, paint)
    // Draws the same content in slices of 20 rows, so that bands begin at other
    // rows.
    let parts = try draw(220) { context in
      for top in stride(from: 0.0, to: 220, by: 20) {
        try context.saved {
          context.clip(to: Rect(x: 0, y: top, width: 40, height: 20))
          try paint(context)
        }
      }
    }
    #expect(parts.hasSamePixels(as: whole))
    let empty = try draw(220) { _ in }
    #expect(!whole.hasSamePixels(as: empty))
  }
}
