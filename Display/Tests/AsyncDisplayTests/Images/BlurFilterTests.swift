@testable import AsyncDisplay
import LoopTransactionsTesting
import Testing

@Suite("BlurFilter")
struct BlurFilterTests {
  private let pool = BitmapPool()

  /// Returns a picture of random premultiplied pixels.
  private func noise(_ width: Int, _ height: Int) throws -> Bitmap {
    var generator = SeededGenerator(seed: UInt64(width * 1000 + height))
    return try Bitmap.draw(PixelSize(width: width, height: height), from: pool) { context in
      for y in 0..<height {
        for x in 0..<width {
          func part() -> Double { Double(generator.next() % 256) / 255 }
          let color = Color(red: part(), green: part(), blue: part(), alpha: part())
          context.fill(Rect(x: Double(x), y: Double(y), width: 1, height: 1), with: color)
        }
      }
    }
  }

  // D10
  @Test(
    "a blur equals three naive box passes in each direction",
    arguments: [(1.0, 7, 5), (2.0, 16, 16), (5.5, 23, 40), (30, 33, 9), (135, 5, 40), (3, 1, 1)]
  )
  func equalsReference(_ radius: Double, _ width: Int, _ height: Int) throws {
    let bitmap = try noise(width, height)
    let filter = BlurFilter(radius: radius)
    let blurred = try filter.apply(to: bitmap, from: pool)
    let expected = Reference.blur(bitmap, kernel: filter.kernel)
    let isSame = blurred.withPixels { $0.elementsEqual(expected) }
    #expect(isSame)
  }

  @Test("kernel sizes match the tutorial's blur and are limited")
  func kernels() {
    #expect(BlurFilter(radius: 30).kernel == 57)
    #expect(BlurFilter(radius: 60).kernel == 113)
    #expect(BlurFilter(radius: 90).kernel == 169)
    #expect(BlurFilter(radius: 60, reduction: 4).kernel == 29)
    #expect(BlurFilter(radius: 0).kernel == 1)
    #expect(BlurFilter(radius: 1e9).kernel == 255)
  }

  @Test("a saturation of NaN changes nothing, and infinite values are clamped")
  func oddSaturation() throws {
    let bitmap = try noise(9, 5)
    func apply(_ saturation: Double) throws -> Bitmap {
      try BlurFilter(radius: 1, saturation: saturation).apply(to: bitmap, from: pool)
    }
    for (odd, plain) in [(Double.nan, 1.0), (.infinity, 64), (-.infinity, 0), (-3, 0)] {
      let isSame = try apply(odd).hasSamePixels(as: try apply(plain))
      #expect(isSame, "\(odd)")
    }
  }

  @Test("setters enforce the same preconditions as the initializer")
  func oddLater() async {
    await #expect(processExitsWith: .failure) {
      var filter = BlurFilter(radius: 3)
      filter.radius = .nan
    }
    await #expect(processExitsWith: .failure) {
      var filter = BlurFilter(radius: 3)
      filter.reduction = 0
    }
  }

  // D10
  @Test("a blur polls every 16 rows of each pass and can be cancelled at each poll")
  func polls() throws {
    let bitmap = try noise(4, 64)
    let asked = Tally()
    _ = try BlurFilter(radius: 3).apply(to: bitmap, from: pool) {
      asked.count()
      return false
    }
    // Four blocks of rows for the pass over rows, four blocks for each of three
    // passes over columns, and one poll at the end.
    #expect(asked.value == 17)
    for last in 1...17 {
      let asked = Tally()
      #expect(throws: CancellationError.self) {
        try BlurFilter(radius: 3).apply(to: bitmap, from: pool) { asked.count() == last }
      }
      #expect(asked.value == last)
    }
    #expect(pool.metrics.lent == 1)
  }

  @Test(
    "a reduced blur polls as often as a full blur, or once per row of the result",
    arguments: [(1, 17), (4, 4 + 5), (16, 4 + 5), (64, 1 + 5)]
  )
  func pollsReduced(_ reduction: Int, _ count: Int) throws {
    let bitmap = try noise(4, 64)
    let asked = Tally()
    _ = try BlurFilter(radius: 200, reduction: reduction).apply(to: bitmap, from: pool) {
      asked.count()
      return false
    }
    #expect(asked.value == count)
  }

  // D10
  @Test("a reduced blur has fewer pixels with the same mean")
  func reduced() throws {
    let plain = try Bitmap.draw(PixelSize(width: 33, height: 18), scale: 2, from: pool) {
      $0.fill(with: Color(red: 1, green: 0.5, blue: 0.25))
    }
    let blurred = try BlurFilter(radius: 8, reduction: 4).apply(to: plain, from: pool)
    #expect(blurred.pixels == PixelSize(width: 9, height: 5))
    let isPlain = blurred.withPixels { $0.allSatisfy { $0 == plain.firstPixel } }
    #expect(isPlain)
  }

  @Test("a tint with components out of range is clamped")
  func oddTint() throws {
    let bitmap = try noise(9, 5)
    func apply(_ red: Double, _ green: Double, _ blue: Double, _ alpha: Double) throws -> Bitmap {
      let tint = Color(red: red, green: green, blue: blue, alpha: alpha)
      return try BlurFilter(radius: 0, tint: tint).apply(to: bitmap, from: pool)
    }
    for (odd, plain) in [
      ((0, 0, 2, 0.5), (0, 0, 1, 0.5)), ((0, -1, 1e300, 0.25), (0, 0, 1, 0.25)),
      ((.infinity, 1, 0, 0.5), (1, 1, 0, 0.5)), ((.nan, 1, 0, 0.5), (0, 1, 0, 0.5)),
      ((0.5, 0.25, 0, 7), (0.5, 0.25, 0, 1)), ((1, 1, 1, -1), (0, 0, 0, 0)),
    ] as [((Double, Double, Double, Double), (Double, Double, Double, Double))] {
      let toned = try apply(odd.0, odd.1, odd.2, odd.3)
      let isSame = toned.hasSamePixels(
        as: try apply(plain.0, plain.1, plain.2, plain.3)
      )
      #expect(isSame, "\(odd)")
    }
  }

  @Test("saturation and tint change colours but keep them premultiplied")
  func tones() throws {
    let red = try Bitmap.draw(PixelSize(width: 2, height: 2), from: pool) { $0.fill(with: .red) }
    let grey = try BlurFilter(radius: 0, saturation: 0).apply(to: red, from: pool)
    #expect(grey.firstPixel == 0xFF36_3636)
    let white = BlurFilter(radius: 0, tint: Color(white: 1, alpha: 0.5))
    #expect(try white.apply(to: red, from: pool).firstPixel == 0xFFFF_8080)
    let half = try noise(9, 9)
    let vivid = try BlurFilter(radius: 1, saturation: 8).apply(to: half, from: pool)
    let isPremultiplied = vivid.withPixels { pixels in
      pixels.allSatisfy { pixel in
        [16, 8, 0].allSatisfy { pixel >> $0 & 255 <= pixel >> 24 }
      }
    }
    #expect(isPremultiplied)
  }
}

/// A naive box blur that computes every sum without reusing the previous sum.
private enum Reference {
  static func blur(_ bitmap: Bitmap, kernel: Int) -> [UInt32] {
    let (width, height) = (bitmap.pixels.width, bitmap.pixels.height)
    var pixels = bitmap.withPixels(Array.init)
    func pass(_ place: (Int, Int, Int) -> Int) {
      let source = pixels
      for y in 0..<height {
        for x in 0..<width {
          var result: UInt32 = 0
          for shift in [0, 8, 16, 24] as [UInt32] {
            var sum = 0
            for offset in -(kernel / 2)...(kernel / 2) {
              sum += Int(source[place(x, y, offset)] >> shift & 255)
            }
            result |= UInt32((sum + kernel / 2) / kernel) << shift
          }
          pixels[y * width + x] = result
        }
      }
    }
    for _ in 0..<3 { pass { x, y, off in y * width + min(max(x + off, 0), width - 1) } }
    for _ in 0..<3 { pass { x, y, off in min(max(y + off, 0), height - 1) * width + x } }
    return pixels
  }
}
