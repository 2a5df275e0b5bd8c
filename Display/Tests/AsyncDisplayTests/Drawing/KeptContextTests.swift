import AsyncDisplay
import Testing

@Suite("Contexts kept after their drawing")
struct KeptContextTests {
  @Test("a kept context draws nothing, not even into the bitmap of another drawing")
  func drawsNothing() throws {
    let pool = BitmapPool()
    let pixels = PixelSize(width: 8, height: 8)
    var kept: DrawingContext?
    let first = try Bitmap.draw(pixels, from: pool) { context in
      context.fill(with: .blue)
      kept = context
    }
    let late = try #require(kept)
    let second = try Bitmap.draw(pixels, from: pool) { context in
      // Cairo reuses the memory of a destroyed context for the next context.
      #expect(late.cairo != context.cairo)
      let rect = Rect(x: 0, y: 0, width: 8, height: 8)
      late.fill(with: .red)
      late.saved { late.clip(to: rect, radius: 2) }
      late.stroke(rect, width: 1, with: .red)
      try late.fill(rect, with: Gradient([.init(0, .red), .init(1, .green)]))
      try late.draw(first, in: rect)
    }
    let isEmpty = second.withPixels { $0.allSatisfy { $0 == 0 } }
    let isBlue = first.withPixels { $0.allSatisfy { $0 == 0xFF00_00FF } }
    #expect(isEmpty && isBlue)
  }
}
