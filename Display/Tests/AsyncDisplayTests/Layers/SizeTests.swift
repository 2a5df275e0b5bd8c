import AsyncDisplay
import LoopTransactions
import LoopTransactionsTesting
import Testing

@Suite("Sizes")
struct SizeTests {
  // D6
  @Test(
    "a size that cannot be drawn has a defined outcome in both modes",
    arguments: [
      (Size(width: 0, height: 10), 1, "cleared"),
      (Size(width: 10, height: 0), 1, "cleared"),
      (Size(width: 0.9, height: 10), 1, "cleared"),
      (Size(width: 0.9, height: 10), 3, "displayed"),
      (Size(width: -1, height: 10), 1, "failed negative"),
      (Size(width: 1, height: 1), 0, "failed negative"),
      (Size(width: .nan, height: 1), 1, "failed notFinite"),
      (Size(width: 1, height: .infinity), 1, "failed notFinite"),
      (Size(width: 1, height: 1), .nan, "failed notFinite"),
      (Size(width: 16_385, height: 1), 1, "failed tooLarge"),
      (Size(width: 1e300, height: 1), 1e300, "failed tooLarge"),
      (Size(width: 16_000, height: 16_000), 1, "failed tooLarge"),
    ],
    [true, false]
  )
  func defined(_ example: (size: Size, scale: Double, word: String), isAsynchronous: Bool) throws {
    try withDisplay { display in
      let painter = Painter()
      let layer = Layer(in: display, painter)
      layer.displaysAsynchronously = isAsynchronous
      layer.displayNow()
      _ = painter.trace.take()
      layer.size = example.size
      layer.scale = example.scale
      layer.setNeedsDisplay()
      let isFinished = display.settle()
      #expect(isFinished)
      let events = painter.trace.take().filter { !$0.hasPrefix("draw") }
      #expect(events == ["will 2", "did 2 \(example.word)"])
      #expect((layer.contents != nil) == (example.word == "displayed"))
      #expect(!layer.needsDisplay)
    }
  }

  @Test(
    "a layer first displayed without a size is displayed when it gets a size, but not when resized"
  )
  func firstSize() throws {
    try withDisplay { display in
      let painter = Painter()
      let layer = Layer(in: display, painter)
      layer.size = .zero
      layer.setNeedsDisplay()
      layer.waitUntilDisplayed()
      #expect(painter.count == 1 && layer.contents == nil)
      layer.size = Size(width: 3, height: 3)
      layer.waitUntilDisplayed()
      #expect(painter.count == 2 && layer.contents?.pixels == PixelSize(width: 3, height: 3))
      layer.size = Size(width: 5, height: 5)
      layer.waitUntilDisplayed()
      #expect(painter.count == 2)
      layer.needsDisplayOnSizeChange = true
      layer.size = Size(width: 6, height: 6)
      layer.waitUntilDisplayed()
      #expect(painter.count == 3)
    }
  }

  @Test(
    "sizes in points are rounded up to whole pixels, and rounding errors add no pixels",
    arguments: [
      (33.3, 3.0, 100), (0.07, 100.0, 7), (33.4, 3.0, 101), (10.0, 1.0, 10), (10.1, 1.0, 11),
    ]
  )
  func pixels(_ points: Double, _ scale: Double, _ count: Int) throws {
    let pixels = try PixelSize(Size(width: points, height: 1), scale: scale)
    #expect(pixels?.width == count)
  }

  // D6
  @Test("opaque layers are filled with white and then with their colour; other layers are not")
  func opaqueFill() throws {
    try withDisplay { display in
      let painter = Painter()
      painter.color = .clear
      let layer = Layer(in: display, painter)
      layer.backgroundColor = Color(red: 0, green: 0, blue: 0, alpha: 0.5)
      layer.displayNow()
      #expect(layer.contents?.firstPixel == 0)
      layer.isOpaque = true
      layer.displayNow()
      #expect([0xFF7F_7F7F, 0xFF80_8080].contains(layer.contents?.firstPixel))
      layer.backgroundColor = nil
      layer.displayNow()
      #expect(layer.contents?.firstPixel == 0xFFFF_FFFF)
      layer.backgroundColor = Color(red: 0, green: 1, blue: 0)
      layer.displayNow()
      #expect(layer.contents?.firstPixel == 0xFF00_FF00)
      withExtendedLifetime(painter) {}
    }
  }

  // D6, D8
  @Test(
    "an opaque layer shows no remains of reused memory",
    arguments: [nil, .clear, Color(red: 1, green: 1, blue: 1, alpha: .nan), .white]
  )
  func opaqueAllOver(color: Color?) throws {
    try withDisplay { display in
      // The size is fractional, so that partially covered edge pixels are
      // tested, too.
      let size = Size(width: 333.3, height: 222.2)
      let pixels = try #require(try PixelSize(size, scale: 1))
      _ = try Bitmap.draw(pixels, from: display.pool) { $0.fill(with: .red) }
      let painter = Painter()
      painter.color = .clear
      let layer = Layer(in: display, painter)
      (layer.size, layer.scale) = (size, 1)
      (layer.backgroundColor, layer.isOpaque) = (color, true)
      layer.displayNow()
      let isWhite = layer.contents?.withPixels { $0.allSatisfy { $0 == 0xFFFF_FFFF } }
      #expect(isWhite == true && display.pool.metrics.reused == 1)
      withExtendedLifetime(painter) {}
    }
  }
}
