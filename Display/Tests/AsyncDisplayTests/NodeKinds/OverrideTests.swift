import AsyncDisplay
import LoopTransactions
import Testing

@Suite("Overrides")
struct OverrideTests {
  // D10
  @Test("an image node drops its image and retries, even if its didDisplay does not call super")
  func imageNode() throws {
    try withDisplay { display in
      let node = QuietImageNode()
      node.frame = Rect(x: 0, y: 0, width: 8, height: 8)
      node.image = .data(Pictures.file("png", 8, 8))
      node.keepsImage = false
      node.load(in: display)
      var isFinished = display.settle()
      #expect(isFinished && node.count == 1)
      #expect(node.layer?.contents != nil)
      // The image was dropped.
      #expect(!node.isPrepared)
      node.image = .file("/nowhere.png")
      isFinished = display.settle()
      #expect(isFinished && node.count == 2 && node.failure != nil)
      // The next display tries to load the image again.
      #expect(!node.isPrepared)
    }
  }

  // D10
  @Test("a mixed node has links, even if its didDisplay does not call super")
  func mixedNode() throws {
    try withDisplay { display in
      let node = QuietMixedNode()
      node.frame = Rect(x: 0, y: 0, width: 200, height: 40)
      let attributes = TextAttributes(font: Font("DejaVu Sans", size: 16))
      node.content.append("pay", attributes, link: "pay")
      node.backgroundImage = .file("/nowhere.png")
      node.load(in: display)
      let isFinished = display.settle()
      #expect(isFinished)
      #expect(node.link(at: Point(x: 8, y: 8)) == "pay")
      // The next display tries to load the background image again.
      #expect(!node.isPrepared)
    }
  }
}

private final class QuietImageNode: ImageNode {
  private(set) var count = 0

  override func didDisplay(_ outcome: DisplayOutcome) { count += 1 }
}

private final class QuietMixedNode: MixedNode {
  override func didDisplay(_ outcome: DisplayOutcome) {}
}
