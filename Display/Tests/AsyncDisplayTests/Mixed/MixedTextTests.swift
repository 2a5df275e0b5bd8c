import AsyncDisplay
import Testing

private let plain = TextAttributes(font: Font("DejaVu Sans", size: 16))

@Suite("MixedText")
struct MixedTextTests {
  private let image = InlineImage(.data([1]), size: Size(width: 10, height: 10))

  @Test("links have ranges in the text, and adjacent links with equal names are merged")
  func links() {
    var text = MixedText("ä ", plain)
    text.append("a", plain, link: "x")
    text.append(image, link: "x")
    text.append("b", plain, link: "y")
    text.append("", plain, link: "z")
    #expect(text.text.string == "ä a\u{FFFC}b")
    #expect(text.links.map(\.name) == ["x", "y"])
    #expect(text.links.map(\.range) == [3..<7, 7..<8])
    #expect(text.images == [image])
  }

  // In Graver, appending a text moved the pictures of that text.
  @Test("text can be appended twice, and appending does not change the appended text")
  func appendedTwice() {
    var part = MixedText("é", plain)
    part.append(image, link: "x")
    let before = part
    var text = MixedText("1", plain)
    text.append(part)
    text.append("2", plain)
    text.append(part)
    text.append(text)
    #expect(part == before)
    #expect(text.text.string == "1é\u{FFFC}2é\u{FFFC}1é\u{FFFC}2é\u{FFFC}")
    #expect(text.images.count == 4)
    #expect(text.links.map(\.range) == [3..<6, 9..<12, 15..<18, 21..<24])
  }
}
