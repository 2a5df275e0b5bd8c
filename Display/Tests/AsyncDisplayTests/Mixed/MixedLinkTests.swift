import AsyncDisplay
import LoopTransactions
import LoopTransactionsTesting
import Testing

private let plain = TextAttributes(font: Font("DejaVu Sans", size: 16))

@Suite("Links of MixedNode")
struct MixedLinkTests {
  // D4
  @Test("a late drawing of an earlier text does not have the links of the newest text")
  func late() throws {
    try withDisplay(workers: 1) { display in
      let gate = Gate()
      display.scheduler.add(priority: .interactive) { _ in gate.wait() }
      let trace = Trace()
      let node = Watched(trace)
      node.content.append("pay ", plain, link: "pay")
      node.content.append("Bob", plain, link: "bob")
      node.load(in: display)
      display.loop.run(.noWait)
      #expect(node.layer?.isDisplaying == true)
      var other = MixedText()
      other.append("no, Eve", plain, link: "eve")
      node.content = other
      gate.open()
      let isFinished = display.settle()
      #expect(isFinished && display.metrics.displayed == 2)
      // The links are queried at the end of each display, at points inside both
      // links of the first text.
      #expect(trace.events == ["- -", "eve eve"])
    }
  }
}

/// Records the visible links at the end of each display.
private final class Watched: MixedNode {
  private let trace: Trace

  init(_ trace: Trace) {
    self.trace = trace
    super.init()
    frame = Rect(x: 0, y: 0, width: 200, height: 40)
  }

  override func didDisplay(_ outcome: DisplayOutcome) {
    super.didDisplay(outcome)
    let links = [8.0, 45].map { link(at: Point(x: $0, y: 8)) ?? "-" }
    trace.record(links.joined(separator: " "))
  }
}
