import AsyncDisplay
import Foundation
import LoopTransactions
import Testing

@Suite("Examples of the documentation")
struct ExampleTests {
  // The lines of a file without surrounding whitespace.
  private func lines(_ url: URL) throws -> [Substring] {
    try String(contentsOf: url, encoding: .utf8).split(separator: "\n").map { line in
      Substring(line.trimmingCharacters(in: .whitespaces))
    }
  }

  private func examples(_ url: URL) throws -> [[Substring]] {
    var (examples, isWithin) = ([[Substring]](), false)
    for line in try lines(url) where line.hasPrefix("///") {
      let text = Substring(line.dropFirst(3).trimmingCharacters(in: .whitespaces))
      if text == "```swift" { examples.append([]) }
      if text.hasPrefix("```") {
        isWithin = text == "```swift"
      } else if isWithin, !text.isEmpty {
        examples[examples.count - 1].append(text)
      }
    }
    return examples
  }

  @Test("each example is compiled verbatim")
  func compiled() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    let compiled = try lines(folder.appending(path: "Examples.swift")).filter { !$0.isEmpty }
    let sources = folder.appending(path: "../../../Sources/AsyncDisplay").standardized
    let files = try #require(FileManager.default.enumerator(atPath: sources.path))
    var count = 0
    for case let path as String in files where path.hasSuffix(".swift") {
      for example in try examples(sources.appending(path: path)) {
        count += 1
        let starts = compiled.indices.filter { compiled[$0...].starts(with: example) }
        #expect(!starts.isEmpty, "\(path): \(example.first ?? "")")
      }
    }
    #expect(count >= 9)
  }

  @Test("examples that display something produce visible contents")
  func shown() throws {
    let (loop, card) = (try EventLoop(), Painter())
    #expect(Examples.display(loop, card).contents != nil)
    try loop.close()
    try withDisplay { display in
      let frame = Rect(x: 0, y: 0, width: 40, height: 40)
      let nodes = [Examples.node(), Examples.bands(), Examples.canvas()]
      for node in nodes {
        node.frame = frame
        node.load(in: display)
        node.waitUntilDisplayed()
        let looks = try node.look()
        let isShown = looks.withPixels { pixels in pixels.contains { $0 != 0 } }
        #expect(isShown, "\(type(of: node))")
      }
      let cards = (0..<40).map { FeedCard($0, Painter().trace) }
      let ranges = Examples.ranges(display, cards, Examples.Scroll())
      let isFinished = display.settle()
      #expect(isFinished && cards[0].node?.layer?.contents != nil)
      withExtendedLifetime(ranges) {}
    }
    let (heart, liked) = (ControlNode(), Examples.Liked())
    #expect(Examples.control(heart, liked) !== heart && heart.answersEvents)
    liked.frame = Rect(x: 0, y: 0, width: 40, height: 40)
    heart.frame = liked.frame
    liked.addSubnode(heart)
    Examples.touches(liked)
    #expect(liked.likes == 1)
    let plain = TextAttributes(font: Font("DejaVu Sans", size: 12))
    #expect(Examples.mixed(plain, plain) != MixedText())
  }
}
