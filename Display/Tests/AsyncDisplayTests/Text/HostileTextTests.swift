@testable import AsyncDisplay
import Foundation
import Testing

@Suite("Hostile text")
struct HostileTextTests {
  private let plain = TextAttributes(font: Font("DejaVu Sans", size: 14))
  private let narrow = Size(width: 1, height: .infinity)

  private func scalars(_ text: AttributedText) -> Int { text.string.unicodeScalars.count }

  @Test("a text is cut at 8 KiB, is measured as truncated, and rejects further text")
  func bytes() {
    var text = AttributedText(String(repeating: "0123456789", count: 1_000_000), plain)
    #expect(text.string.utf8.count == 8192 && text.isCut)
    #expect(text.measure(TextStyle(), in: narrow).isTruncated)
    #expect(text.bytesSet(TextStyle(), in: narrow) == 8192)
    let before = text
    text.append("more", plain)
    #expect(text == before)
    let full = AttributedText(String(repeating: "a", count: 8192), plain)
    #expect(full.string.utf8.count == 8192 && !full.isCut)
    #expect(!full.measure(TextStyle(), in: Size(width: 1000, height: .infinity)).isTruncated)
    var grown = AttributedText()
    for _ in 0..<20_000 { grown.append("a", plain) }
    #expect(grown.string == full.string && grown.isCut && grown.runs.count == 1)
  }

  @Test("a cut does not split characters", arguments: ["é", "e\u{301}", "👨‍👩‍👧", "🇩🇪", "가"])
  func whole(_ character: String) {
    for lead in 0..<character.utf8.count {
      let text = AttributedText(
        String(repeating: "a", count: lead) + String(repeating: character, count: 10_000),
        plain
      )
      #expect(text.isCut && (8192 - 24...8192).contains(text.string.utf8.count))
      #expect(text.string.dropFirst(lead).allSatisfy { String($0) == character })
    }
  }

  @Test("a letter keeps at most 30 marks, across several appends, and the text continues")
  func marks() {
    let marks = String(repeating: "\u{301}\u{316}", count: 10_000)
    var text = AttributedText("a" + marks + "b", plain)
    // When the marks exceed the limit of a text, the rest of the text is not
    // examined.
    #expect(text.string.unicodeScalars.count == 31 && text.isCut)
    text = AttributedText("a" + marks.prefix(100) + "b", plain)
    #expect(scalars(AttributedText(String(marks.prefix(1)), plain)) <= 30)
    text = AttributedText("a", plain)
    for _ in 0..<100 { text.append("\u{301}", plain) }
    text.append("b\u{301}", plain)
    #expect(scalars(text) == 1 + 30 + 2 && !text.isCut)
    #expect(text.runs.map(\.range) == [0..<text.string.utf8.count])
    // 30 marks are kept. This is the limit of Unicode's stream-safe text format,
    // and enough for real languages.
    let thirty = "a" + String(repeating: "\u{302}", count: 30)
    #expect(AttributedText(thirty, plain).string == thirty)
  }

  @Test("a text has at most 2,048 paragraphs, 1,024 runs and 32 fonts")
  func parts() {
    for end in ["\n", "\r\n", "\r", "\u{2029}"] {
      let text = AttributedText(String(repeating: "a" + end, count: 4000), plain)
      #expect(text.isCut && text.string.unicodeScalars.filter { $0 == "a" }.count == 2048)
    }
    var (runs, fonts) = (AttributedText(), AttributedText())
    for number in 0..<5000 {
      let color = Color(white: Double(number % 2), alpha: 1)
      runs.append("ab", TextAttributes(font: plain.font, color: color))
      let size = 10 + Double(number) / 100
      fonts.append("ab", TextAttributes(font: Font("DejaVu Sans", size: size)))
    }
    #expect(runs.isCut && runs.runs.count == 1024 && runs.string.utf8.count == 2048)
    #expect(fonts.isCut && fonts.runs.count == 32 && fonts.string.utf8.count == 64)
  }

  @Test(
    "at most 2 KiB of a text have negative letter spacing, each up to an eighth of the font size"
  )
  func tight() {
    var tight = plain
    tight.letterSpacing = -1
    var text = AttributedText("a", plain)
    text.append(String(repeating: "i", count: 5000), tight)
    #expect(text.string.utf8.count == 2049 && text.isCut)
    func width(_ spacing: Double) -> Double {
      var attributes = plain
      attributes.letterSpacing = spacing
      let size = Size(width: .infinity, height: .infinity)
      return AttributedText("iiiiii", attributes).measure(TextStyle(), in: size).size.width
    }
    #expect(width(-1.75) == width(-100) && width(-1.75) < width(-1) && width(-100) > 0)
  }

  @Test("tabs after the first 1,024 become spaces")
  func tabs() {
    let text = AttributedText(String(repeating: "\t", count: 3000), plain)
    #expect(
      text.string == String(repeating: "\t", count: 1024) + String(repeating: " ", count: 1976)
    )
    #expect(!text.isCut)
  }

  @Test(
    "long text is shaped in items of at most 256 bytes that split no characters"
  )
  func items() {
    #expect(AttributedText(String(repeating: "a", count: 1024), plain).longestItem == 0)
    for text in [
      "a", "ab cd ", " ", "1", "字", "👩", "e\u{301}", "a\n", "\u{202A}\u{202B}", "\u{5D0}\u{5D1}",
      String(repeating: "x", count: 300) + " ",
    ] {
      let long = AttributedText(String(repeating: text, count: 8192 / text.utf8.count), plain)
      #expect((1...256).contains(long.longestItem), "\(text.prefix(3))")
      // No line is missing.
      let measure = long.measure(TextStyle(), in: Size(width: 40, height: .infinity))
      #expect(measure.lineCount >= 1 && measure.isTruncated == long.isCut)
    }
  }

  @Test("text that is divided into items has the same width as undivided text")
  func sameLines() {
    // The short text is not divided, so it is one item.
    let line = "Nothing is set in lines before all of it is shaped "
    let short = AttributedText(String(repeating: line, count: 20), plain)
    let long = AttributedText(String(repeating: line, count: 80), plain)
    let size = Size(width: .infinity, height: .infinity)
    let (one, four) = (short.measure(TextStyle(), in: size), long.measure(TextStyle(), in: size))
    #expect(short.longestItem == 0 && long.longestItem > 0)
    #expect(abs(four.size.width - 4 * one.size.width) < 0.1)
  }

  @Test("drawing text polls before layout and before each line")
  func looks() throws {
    let text = AttributedText(String(repeating: "a ", count: 8000), plain)
    let pool = BitmapPool()
    let asked = Tally()
    var style = TextStyle()
    style.shadow = TextStyle.Shadow(offset: .zero, blur: 0, color: .black)
    let size = Size(width: 100, height: 1000)
    let lines = text.measure(style, in: size).lineCount
    _ = try Bitmap.draw(PixelSize(width: 100, height: 1000), from: pool) {
      try text.draw(style, in: Rect(size: size), of: $0) {
        asked.count()
        return false
      }
    }
    #expect(lines > 50 && asked.value >= 2 * (lines + 1))
    for limit in [1, 2, lines + 2] {
      #expect(throws: CancellationError.self) {
        _ = try Bitmap.draw(PixelSize(width: 100, height: 1000), from: pool) {
          let asked = Tally()
          try text.draw(style, in: Rect(size: size), of: $0) { asked.count() >= limit }
        }
      }
    }
  }

  @Test("only the first 256 bytes of a font's family list are used")
  func families() {
    let list = "DejaVu Sans Mono," + String(repeating: "None,", count: 100_000)
    let wide = Size(width: 1000, height: .infinity)
    func width(_ family: String) -> Double {
      AttributedText("iiii", TextAttributes(font: Font(family, size: 14)))
        .measure(TextStyle(), in: wide).size.width
    }
    #expect(width(list) == width("DejaVu Sans Mono") && width(list) != width("DejaVu Serif"))
    // A family that comes later in the list is ignored.
    let late = String(repeating: "None,", count: 100) + "DejaVu Sans Mono"
    #expect(width(late) == width("None"))
  }

  // D10
  @Test("images and links of mixed text keep their positions or are cut with the text")
  func mixed() {
    let image = InlineImage(.file("star"), size: Size(width: 4, height: 4))
    var first = MixedText("a" + String(repeating: "\u{301}", count: 20), plain)
    var second = MixedText(String(repeating: "\u{302}", count: 20), plain)
    second.append("b", plain, link: "b")
    second.append(image)
    second.append("c", plain, link: "c")
    first.append(second)
    let bytes = Array(first.text.string.utf8)
    #expect(bytes.count == 1 + 60 + 1 + 3 + 1)
    #expect(first.links.map { String(decoding: bytes[$0.range], as: UTF8.self) } == ["b", "c"])
    #expect(first.images == [image])
    var full = MixedText(String(repeating: "x", count: 8191), plain)
    full.append(image, link: "image")
    #expect(full.images.isEmpty && full.links.isEmpty && full.text.isCut)
    full.append(second)
    #expect(full.images.isEmpty && full.links.isEmpty)
    var many = MixedText()
    for _ in 0..<10_000 { many.append(image) }
    #expect(many.images.count == 8192 / 3 && many.text.runs.count == 1)
  }
}
