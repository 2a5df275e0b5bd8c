@testable import AsyncDisplay
import LoopTransactions
import LoopTransactionsTesting
import Synchronization
import Testing

private let font = Font("DejaVu Sans", size: 16)
private let words = "The quick brown fox jumps over the lazy dog, again and again and again."

@Suite("Text")
struct TextTests {
  private let pool = BitmapPool()
  private let text = AttributedText(words, TextAttributes(font: font))
  private let wide = Size(width: .infinity, height: .infinity)

  private func draw(
    _ text: AttributedText,
    _ style: TextStyle = TextStyle(),
    _ size: Size = Size(width: 200, height: 100)
  ) throws -> Bitmap {
    let pixels = try #require(try PixelSize(size, scale: 1))
    return try Bitmap.draw(pixels, from: pool) { context in
      try text.draw(style, in: Rect(size: size), of: context)
    }
  }

  /// Returns the number of pixels in `rows` that are not transparent.
  private func ink(_ bitmap: Bitmap, rows: Range<Int>? = nil) -> Int {
    let rows = rows ?? 0..<bitmap.pixels.height
    return rows.reduce(0) { count, y in
      count + (0..<bitmap.pixels.width).count { bitmap.pixel($0, y) != 0 }
    }
  }

  // D10
  @Test("text is broken into lines of the available width")
  func lines() {
    let one = text.measure(TextStyle(), in: wide)
    #expect(one.lineCount == 1 && one.size.width > 400 && !one.isTruncated)
    let many = text.measure(TextStyle(), in: Size(width: 200, height: .infinity))
    #expect(many.lineCount >= 3 && many.size.width <= 200)
    #expect(abs(many.size.height - Double(many.lineCount) * one.size.height) < 0.1)
    #expect(AttributedText().measure(TextStyle(), in: wide) == TextMeasure())
  }

  // D10
  @Test(
    "a line limit omits lines, and the measure reports the truncation",
    arguments: [TextStyle.Truncation.none, .start, .middle, .end]
  )
  func truncation(_ truncation: TextStyle.Truncation) throws {
    var style = TextStyle()
    style.lineLimit = 2
    style.truncation = truncation
    let size = Size(width: 200, height: 100)
    let measure = text.measure(style, in: size)
    #expect(measure.lineCount == 2 && measure.isTruncated)
    let bitmap = try draw(text, style)
    let bottom = Int(measure.size.height.rounded(.up))
    #expect(ink(bitmap, rows: 0..<bottom) > 0 && ink(bitmap, rows: bottom..<100) == 0)
    // Each truncation mode removes a different part.
    style.truncation = truncation == .end ? .none : .end
    let isSame = bitmap.hasSamePixels(as: try draw(text, style))
    #expect(!isSame)
  }

  // D10
  @Test("a line that does not fit is not drawn, not even in part")
  func noRoom() throws {
    let line = text.measure(TextStyle(), in: wide).size.height
    let room = Size(width: 200, height: line * 1.5)
    #expect(text.measure(TextStyle(), in: room).lineCount == 1)
    let bitmap = try draw(text, TextStyle(), Size(width: 200, height: line * 0.9))
    #expect(ink(bitmap) == 0)
  }

  // D10
  @Test("attributes apply to their range of UTF-8 bytes")
  func attributes() throws {
    var text = AttributedText("ää ", TextAttributes(font: font, color: .red))
    var bold = TextAttributes(font: Font("DejaVu Sans", size: 16, weight: 700), color: .blue)
    bold.isUnderlined = true
    text.append("öö", bold)
    #expect(text.runs.map(\.range) == [0..<5, 5..<9])
    let bitmap = try draw(text)
    let pixels = bitmap.withPixels(Array.init)
    #expect(pixels.contains(0xFFFF_0000) && pixels.contains(0xFF00_00FF))
    let regular = AttributedText("ää öö", TextAttributes(font: font)).measure(TextStyle(), in: wide)
    #expect(text.measure(TextStyle(), in: wide).size.width > regular.size.width)
  }

  @Test("lines have the style's alignment", arguments: [TextStyle.Alignment.center, .right])
  func alignment(_ alignment: TextStyle.Alignment) throws {
    let text = AttributedText("i", TextAttributes(font: font))
    var style = TextStyle()
    style.alignment = alignment
    let bitmap = try draw(text, style)
    let columns = (0..<200).filter { x in (0..<100).contains { bitmap.pixel(x, $0) != 0 } }
    let expected = alignment == .center ? 90...110 : 190...200
    #expect(!columns.isEmpty && columns.allSatisfy { expected ~= $0 })
  }

  @Test("a shadow lies behind the text at its offset")
  func shadow() throws {
    let text = AttributedText("I", TextAttributes(font: font, color: .blue))
    var style = TextStyle()
    let plain = try ink(draw(text, style))
    style.shadow = TextStyle.Shadow(offset: Point(x: 50, y: 0), color: .red)
    let shadowed = try draw(text, style)
    #expect(ink(shadowed) == 2 * plain)
    style.shadow?.blur = 3
    let blurred = try draw(text, style)
    #expect(ink(blurred) > 4 * plain)
    #expect((50..<60).contains { x in (0..<20).contains { blurred.pixel(x, $0) >> 24 > 20 } })
  }

  // D6
  @Test("text that is higher than Pango's largest coordinate is cut off at that coordinate")
  func tall() throws {
    let huge = TextAttributes(font: Font("DejaVu Sans", size: 4000))
    let text = AttributedText(String(repeating: "a\n", count: 500), huge)
    let measure = text.measure(TextStyle(), in: wide)
    #expect(measure.lineCount > 300 && measure.lineCount < 500 && measure.isTruncated)
    #expect(measure.size.height > 1.9e6 && measure.size.height < 2.2e6)
    _ = try draw(text)
    var style = TextStyle()
    for spacing in [1e6, 1e300, -1e6, -30] {
      style.lineSpacing = spacing
      for alignment in [TextStyle.Alignment.left, .right] {
        style.alignment = alignment
        let lines = AttributedText("a\nb\nc\nd\ne", TextAttributes(font: font))
        let measure = lines.measure(style, in: Size(width: 300, height: .infinity))
        #expect(1...5 ~= measure.lineCount, "\(spacing)")
        _ = try draw(lines, style)
      }
    }
    let apart = AttributedText("abc", TextAttributes(font: font, letterSpacing: 1e6))
    #expect(apart.measure(style, in: Size(width: 1e6, height: .infinity)).lineCount >= 1)
  }

  // D10
  @Test("only the part of a long text that may fit is laid out, and it looks like the whole text")
  func long() throws {
    let each = (0..<160).map { "\($0) \(words.prefix(40))" }
    for (newline, truncation) in [("\n", TextStyle.Truncation.none), ("\r\n", .none), ("\n", .end)]
    {
      var style = TextStyle()
      style.truncation = truncation
      let long = AttributedText(each.joined(separator: newline), TextAttributes(font: font))
      let size = Size(width: 200, height: 390)
      let endless = Size(width: 200, height: .infinity)
      let (some, all) = (long.measure(style, in: size), long.measure(style, in: endless))
      #expect(15...25 ~= some.lineCount && all.lineCount >= 160 && !long.isCut)
      #expect(some.isTruncated && all.isTruncated == (truncation == .end))
      // 24 of the 160 paragraphs are laid out.
      #expect(long.bytesSet(style, in: endless) == long.string.utf8.count)
      #expect(long.bytesSet(style, in: size) * 5 < long.string.utf8.count)
      // The result looks like the whole text, up to the line that is cut off.
      if truncation == .none {
        let bottom = Int(some.size.height.rounded(.down))
        let whole = try Bitmap.draw(PixelSize(width: 200, height: bottom), from: pool) {
          try long.draw(style, in: Rect(x: 0, y: 0, width: 200, height: 1e6), of: $0)
        }
        let cut = try Bitmap.draw(PixelSize(width: 200, height: bottom), from: pool) {
          try long.draw(style, in: Rect(size: size), of: $0)
        }
        let isSame = cut.hasSamePixels(as: whole)
        #expect(isSame)
      }
    }
  }

  // D10
  @Test("if more of a long text fits than first estimated, more of it is laid out")
  func guesses() {
    func style(_ size: Double) -> TextAttributes {
      TextAttributes(font: Font("DejaVu Sans", size: size))
    }
    // The text has many low lines after a high line.
    var mixed = AttributedText("A\n", style(100))
    mixed.append(String(repeating: "b\n", count: 1000), style(2))
    let measure = mixed.measure(TextStyle(), in: Size(width: 200, height: 400))
    #expect(measure.lineCount > 100 && measure.size.height > 397)
    // The newline that ends the 16th paragraph does not start a line. This
    // paragraph is the last paragraph of the first estimate.
    var ended = AttributedText(String(repeating: "a\r\n", count: 16), style(20))
    let high = ended.measure(TextStyle(), in: wide).size.height * 16 / 17
    ended.append(String(repeating: "b\r\n", count: 100), style(2))
    ended.append("c", style(40))
    #expect(ended.measure(TextStyle(), in: Size(width: 200, height: high + 10)).lineCount > 16)
    var limited = TextStyle()
    limited.lineLimit = 300
    #expect(mixed.measure(limited, in: wide).lineCount == 300)
  }

  // D6
  @Test("a shadow that cannot be drawn is omitted, and the text is drawn")
  func oddShadow() throws {
    let text = AttributedText("I", TextAttributes(font: font, color: .blue))
    let plain = try draw(text)
    for shadow in [
      TextStyle.Shadow(offset: Point(x: .nan, y: 0), color: .red),
      TextStyle.Shadow(offset: Point(x: 0, y: .infinity), blur: 1, color: .red),
      TextStyle.Shadow(offset: .zero, blur: .nan, color: .red),
      TextStyle.Shadow(offset: .zero, blur: -1, color: .red),
      TextStyle.Shadow(offset: .zero, blur: 1e9, color: .red),
      TextStyle.Shadow(offset: .zero, blur: 1e308, color: .red),
    ] {
      var style = TextStyle()
      style.shadow = shadow
      let isSame = plain.hasSamePixels(as: try draw(text, style))
      #expect(isSame, "\(shadow)")
    }
  }

  @Test("extreme fonts, sizes and characters have a defined result")
  func odd() throws {
    for font in [
      Font("No Such Family At All", size: 16), Font("", size: 16), Font("DejaVu Sans", size: 0),
      Font("DejaVu Sans", size: .nan), Font("DejaVu Sans", size: -5, weight: -1),
      Font("DejaVu Sans", size: 1e9, weight: 99_999),
    ] {
      let text = AttributedText("A\0B\u{FFFF}\u{202E}\n\n\r\t🦊漢字", TextAttributes(font: font))
      _ = try draw(text)
      #expect(text.measure(TextStyle(), in: wide).lineCount >= 1)
    }
    var style = TextStyle()
    for limit in [0, -1, .max] {
      style.lineLimit = limit
      _ = try draw(text, style)
    }
    style.lineSpacing = .nan
    _ = try draw(text, style, Size(width: 1, height: 1))
    #expect(text.measure(style, in: Size(width: -5, height: .nan)).lineCount >= 0)
  }

  @Test("drawing is cancelled between two lines")
  func cancelled() throws {
    let asked = Tally()
    #expect(throws: CancellationError.self) {
      _ = try Bitmap.draw(PixelSize(width: 200, height: 200), from: pool) { context in
        let rect = Rect(size: Size(width: 200, height: 200))
        try text.draw(TextStyle(), in: rect, of: context) { asked.count() == 2 }
      }
    }
    #expect(asked.value == 2)
  }

  // D10, D14
  @Test("texts that workers draw concurrently equal texts drawn on the loop byte for byte")
  func sameBytes() throws {
    try withDisplay(workers: 4) { display in
      var pairs: [(TextNode, TextNode)] = []
      for number in 0..<40 {
        let nodes = [true, false].map { isAsynchronous in
          let node = TextNode()
          node.frame = Rect(x: 0, y: 0, width: 150, height: 80)
          node.text = AttributedText("\(number) \(words) 漢字 שלום", TextAttributes(font: font))
          node.style.alignment = [.left, .justified][number % 2]
          node.style.truncation = .end
          // Only a few texts have a blurred shadow, because a blur takes a
          // second without optimisation.
          node.style.shadow = TextStyle.Shadow(
            offset: Point(x: 0, y: 1),
            blur: number < 2 ? 2 : 0,
            color: .red
          )
          node.displaysAsynchronously = isAsynchronous
          node.load(in: display, scale: 2)
          return node
        }
        pairs.append((nodes[0], nodes[1]))
      }
      let isFinished = display.settle()
      #expect(isFinished)
      for (one, other) in pairs {
        let (left, right) = (one.layer?.contents, other.layer?.contents)
        let isSame = left.flatMap { left in right.map { left.hasSamePixels(as: $0) } }
        #expect(isSame == true)
      }
    }
  }

  // D10
  @Test("a gradient runs from its first colour to its last")
  func gradient() throws {
    try withDisplay { display in
      let node = GradientNode()
      node.frame = Rect(x: 0, y: 0, width: 2, height: 100)
      node.gradient = Gradient([.init(0, .red), .init(1, .blue)])
      node.load(in: display)
      node.waitUntilDisplayed()
      let bitmap = try #require(node.layer?.contents)
      #expect(bitmap.pixel(0, 0) >> 16 & 255 > 250 && bitmap.pixel(0, 99) & 255 > 250)
      #expect(abs(Int(bitmap.pixel(0, 50) & 255) - 128) < 4)
    }
  }
}
