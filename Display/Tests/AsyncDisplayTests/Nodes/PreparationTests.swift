import AsyncDisplay
import LoopTransactions
import LoopTransactionsTesting
import Testing

@Suite("Preparation of pictures")
struct PreparationTests {
  private let frame = Rect(x: 0, y: 0, width: 8, height: 8)

  private func picture(_ part: Node) -> Block {
    let root = Block("root", frame, .blue)
    root.rasterizesSubtree = true
    root.addSubnode(part)
    return root
  }

  // D10, D8
  @Test(
    "an image already shown is not decoded again unless its layer is invalidated",
    arguments: [true, false]
  )
  func clean(_ isOwn: Bool) throws {
    try withDisplay { display in
      let count = Counted()
      let node = CountedImage(frame, count)
      node.keepsImage = false
      let root = isOwn ? node : picture(node)
      root.load(in: display)
      var isFinished = display.settle()
      #expect(isFinished && count.value == 1)
      root.waitUntilDisplayed()
      root.displayIfNeeded()
      root.isDetached = true
      root.isDetached = false
      isFinished = display.settle()
      #expect(isFinished && count.value == 1 && display.metrics.begun == 1)
      root.layer?.setNeedsDisplay()
      root.waitUntilDisplayed()
      #expect(count.value == 2 && display.metrics.displayed == 2)
    }
  }

  // D9
  @Test("a picture neither decodes the image of an invisible part nor waits for it")
  func hidden() throws {
    try withDisplay { display in
      let count = Counted()
      let part = CountedImage(frame, count)
      let box = Node()
      box.frame = frame
      box.addSubnode(part)
      box.isHidden = true
      let root = picture(box)
      root.load(in: display)
      root.waitUntilDisplayed()
      var isFinished = display.settle()
      #expect(isFinished && count.value == 0 && display.metrics.displayed == 1)
      box.alpha = 0
      box.isHidden = false
      isFinished = display.settle()
      #expect(isFinished && count.value == 0)
      box.alpha = 0.5
      isFinished = display.settle()
      #expect(isFinished && count.value == 1 && part.isPrepared)
      #expect(root.layer?.contents?.pixel(7, 0) != 0xFF00_00FF)
    }
  }

  // D9
  @Test(
    "a part that is hidden, removed or loses its image no longer delays the picture",
    arguments: 0..<4
  )
  func hiddenMeanwhile(_ change: Int) throws {
    try withDisplay { display in
      let (count, gate) = (Counted(), Gate())
      let part = CountedImage(frame, count, gate)
      let root = picture(part)
      root.load(in: display)
      display.loop.run(.noWait)
      #expect(display.metrics.begun == 0)
      switch change {
      case 0: part.isHidden = true
      case 1: part.alpha = 0
      case 2: part.image = nil
      default: part.removeFromSupernode()
      }
      let deadline = display.loop.now.advanced(by: .seconds(20))
      while root.layer?.contents == nil, display.loop.now < deadline { display.loop.run(.noWait) }
      #expect(root.layer?.contents?.pixel(7, 0) == 0xFF00_00FF)
      gate.open()
      #expect(display.settle())
    }
  }

  // D5, D7
  @Test(
    "requests to the layer of a cancelled node decode its image again",
    arguments: ["setNeedsDisplay", "displayIfNeeded", "waitUntilDisplayed"]
  )
  func askedLayer(_ how: String) throws {
    try withDisplay { display in
      let node = CountedImage(frame, Counted())
      node.load(in: display)
      node.cancelDisplay()
      var isFinished = display.settle()
      #expect(isFinished && node.layer?.contents == nil && node.layer?.needsDisplay == true)
      let layer = try #require(node.layer)
      switch how {
      case "setNeedsDisplay": layer.setNeedsDisplay()
      case "displayIfNeeded": layer.displayIfNeeded()
      default:
        layer.waitUntilDisplayed()
        #expect(layer.contents != nil)
      }
      isFinished = display.settle()
      #expect(isFinished && layer.contents?.pixel(7, 0) == 0xFFFF_0000 && !layer.needsDisplay)
    }
  }

  // D7
  @Test("waiting for a node's layer waits for its image")
  func waitsForPicture() throws {
    try withDisplay { display in
      let node = CountedImage(frame, Counted())
      node.load(in: display)
      node.layer?.waitUntilDisplayed()
      #expect(node.layer?.contents?.pixel(7, 0) == 0xFFFF_0000)
      node.keepsImage = false
      node.setNeedsDisplay()
      node.layer?.waitUntilDisplayed()
      node.setNeedsDisplay()
      node.layer?.waitUntilDisplayed()
      #expect(display.metrics.displayed == 3)
    }
  }

  // D12, D8
  @Test("clearing or unloading a node releases its decoded images", arguments: [true, false])
  func drops(_ isUnloaded: Bool) throws {
    try withDisplay { display in
      let node = CountedImage(frame, Counted())
      node.load(in: display)
      node.waitUntilDisplayed()
      isUnloaded ? node.unload() : node.clearContents()
      let deadline = LoopClock.now.advanced(by: .seconds(20))
      while display.pool.metrics.lent > 0, LoopClock.now < deadline {}
      #expect(display.pool.metrics.lent == 0)
      node.load(in: display)
      node.setNeedsDisplay()
      node.waitUntilDisplayed()
      #expect(node.layer?.contents?.pixel(7, 0) == 0xFFFF_0000)
    }
  }

  // D9. The node counts prepared parts instead of checking all parts.
  @Test("when an image is decoded, only its own part is queried, not all parts")
  func linear() throws {
    try withDisplay { display in
      let root = Block("root", frame, .blue)
      root.rasterizesSubtree = true
      let parts = (0..<200).map { _ in AskedImage(frame) }
      for part in parts { root.addSubnode(part) }
      root.load(in: display)
      let isFinished = display.settle()
      #expect(isFinished && display.metrics.displayed == 1)
      let asked = parts.map(\.asked).reduce(0, +)
      #expect(asked <= 20 * parts.count, "\(asked)")
    }
  }
}

/// An image node that counts queries of `isPrepared`.
private final class AskedImage: ImageNode {
  private(set) var asked = 0

  override var isPrepared: Bool {
    asked += 1
    return super.isPrepared
  }

  init(_ frame: Rect) {
    super.init()
    self.frame = frame
    let bytes = Pictures.file("png", 2, 2)
    image = .data(bytes)
    modification = ImageModification("\(ObjectIdentifier(self))") { bitmap, _, _ in bitmap }
  }
}
