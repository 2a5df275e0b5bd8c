import AsyncDisplay
import Testing

@Suite("Truncated text")
struct TruncationTests {
  private let attributes = TextAttributes(font: Font("DejaVu Sans", size: 12))

  // D10
  @Test(
    "text is truncated if any line is not shown, wherever the available height ends",
    arguments: [TextStyle.Truncation.none, .start, .middle, .end]
  )
  func paragraphs(_ truncation: TextStyle.Truncation) {
    var style = TextStyle()
    style.truncation = truncation
    for newline in ["\n", "\r\n"] {
      for count in [1, 2, 5, 40] {
        let lines = (0..<count).map { "line \($0)" }.joined(separator: newline)
        let text = AttributedText(lines, attributes)
        let whole = text.measure(style, in: Size(width: 200, height: .infinity))
        #expect(whole.lineCount == count && !whole.isTruncated)
        let height = whole.size.height / Double(count)
        for room in 1..<count where room < 6 {
          // The text has barely enough height, or half a line more.
          for more in [0.01, 0.5] {
            let size = Size(width: 200, height: height * (Double(room) + more))
            let some = text.measure(style, in: size)
            #expect(some.isTruncated, "\(room) of \(count), \(some)")
          }
        }
        let enough = Size(width: 200, height: whole.size.height + 0.5)
        #expect(!text.measure(style, in: enough).isTruncated, "\(count)")
      }
    }
  }

  // D10
  @Test("text that ends in a newline or in spaces is not truncated if all of it fits")
  func endings() {
    for end in ["\n", "\r\n", "\n\n", " ", "   "] {
      for truncation in [TextStyle.Truncation.none, .end] {
        var style = TextStyle()
        style.truncation = truncation
        let text = AttributedText("some words that are more than one line" + end, attributes)
        // If a text has an ellipsis and no height, each paragraph is one line.
        for width in [60.0, 100, 1000, .infinity] where truncation == .none || width > 100 {
          let whole = text.measure(style, in: Size(width: width, height: .infinity))
          #expect(!whole.isTruncated, "\(end.utf8.count) \(width) \(whole)")
          let enough = Size(width: width, height: whole.size.height + 0.5)
          #expect(!text.measure(style, in: enough).isTruncated, "\(width)")
        }
      }
    }
  }
}
