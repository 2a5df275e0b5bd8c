import AsyncDisplay
import LoopTransactions
import LoopTransactionsTesting
import Testing

private let plain = TextAttributes(font: Font("DejaVu Sans", size: 16))

@Suite("Touches of MixedNode")
struct MixedTouchTests {
  // D10
  @Test("replacing the text while a link is pressed removes the link at once, even in callbacks")
  func replaced() throws {
    try withDisplay { display in
      let node = Asking()
      node.frame = Rect(x: 0, y: 0, width: 200, height: 40)
      node.content.append("see ", plain)
      node.content.append("reviews", plain, link: "reviews")
      node.addTarget(node, for: .all) { node, _, _ in node.trace.record("told") }
      node.load(in: display)
      node.waitUntilDisplayed()
      let router = TouchRouter(node)
      #expect(router.began(at: Point(x: 50, y: 8)) && node.pressedLink == "reviews")
      node.content = MixedText("none", plain)
      #expect(node.pressedLink == nil && !node.isTracking && !node.isHighlighted)
      #expect(node.trace.events == ["reviews reviews", "- -"])
    }
  }

  // D10
  @Test("a control inside a clipping node gets touches that are not on a link")
  func clipped() {
    for clips in [false, true] {
      let node = MixedNode()
      node.frame = Rect(x: 0, y: 0, width: 200, height: 40)
      node.clipsToBounds = clips
      node.cornerRadius = clips ? 10 : 0
      node.content = MixedText("plain", plain)
      let heart = ControlNode()
      heart.frame = Rect(x: 150, y: 0, width: 50, height: 60)
      node.addSubnode(heart)
      heart.addTarget(heart, for: .touchUpInside) { _, _, _ in }
      #expect(node.hitTest(Point(x: 160, y: 10)) === heart)
      #expect((node.hitTest(Point(x: 160, y: 50)) === heart) == !clips)
      #expect((node.hitTest(Point(x: 199, y: 0)) === heart) == !clips)
    }
  }

  // D10
  @Test("a node whose targets were released lets touches through")
  func deadTargets() {
    let node = MixedNode()
    node.frame = Rect(x: 0, y: 0, width: 200, height: 40)
    node.content = MixedText("plain", plain)
    var target: Trace? = Trace()
    if let target { node.addTarget(target, for: .all) { _, _, _ in } }
    let point = Point(x: 10, y: 10)
    #expect(node.answersEvents && node.hitTest(point) === node)
    target = nil
    #expect(!node.answersEvents && !node.contains(point) && node.hitTest(point) == nil)
    #expect(!node.touchBegan(Touch(at: point)))
  }
}

/// A node that queries the pressed link and the link at a point whenever its
/// state changes.
private final class Asking: MixedNode {
  let trace = Trace()

  override func stateDidChange() {
    super.stateDidChange()
    trace.record("\(pressedLink ?? "-") \(link(at: Point(x: 50, y: 8)) ?? "-")")
  }
}
