import AsyncDisplay
import LoopTransactions
import LoopTransactionsTesting
import Testing

/// Assertions from Texture's own tests for its display layer and nodes. The
/// other suites here do not make these assertions.
@Suite("Carried over from Texture")
struct CarriedOverTests {
  @Test("a synchronous display requests one task, draws it once, and leaves the layer clean")
  func synchronous() throws {
    try withDisplay { display in
      let painter = Painter()
      let layer = Layer(in: display, painter)
      layer.displaysAsynchronously = false
      layer.setNeedsDisplay()
      #expect(layer.needsDisplay && layer.contents == nil)
      layer.displayIfNeeded()
      let contents = layer.contents
      #expect(contents != nil && !layer.needsDisplay && painter.count == 1)
      #expect(painter.trace.events == ["will 1", "draw 1", "did 1 displayed"])
      let isFinished = display.settle()
      #expect(isFinished && layer.contents === contents && painter.count == 1)
    }
  }

  @Test("while workers are busy nothing is drawn or shown; afterwards each layer is drawn once")
  func frozen() throws {
    try withDisplay(workers: 1) { display in
      let (gate, began) = (Gate(), Gate())
      display.scheduler.add(priority: .interactive) { _ in
        began.open()
        gate.wait()
      }
      #expect(began.wait())
      let painter = Painter()
      let layer = Layer(in: display, painter)
      layer.setNeedsDisplay()
      for _ in 0..<3 { display.loop.run(.noWait) }
      #expect(painter.trace.events == ["will 1"] && layer.contents == nil)
      #expect(!layer.needsDisplay && layer.isDisplaying)
      gate.open()
      let isFinished = display.settle()
      #expect(isFinished && layer.contents != nil)
      #expect(painter.trace.events == ["will 1", "draw 1", "did 1 displayed"])
    }
  }

  @Test("by default a node is displayed asynchronously, without a delay and without a container")
  func defaults() throws {
    try withDisplay { display in
      let node = Block("", Rect(x: 0, y: 0, width: 2, height: 2), .red)
      #expect(node.displaysAsynchronously && !node.isSuspended && !node.isDetached)
      #expect(node.fadeDuration == .zero && node.placeholder == nil && node.priority == .normal)
      node.displaysAsynchronously = false
      node.isOpaque = true
      node.load(in: display)
      let layer = try #require(node.layer)
      #expect(!layer.displaysAsynchronously && layer.isOpaque && layer.container == nil)
      #expect(!layer.isSuspended && !layer.isDetached && layer.contentsPolicy == .keep)
      node.displaysAsynchronously = true
      node.isSuspended = true
      #expect(layer.displaysAsynchronously && layer.isSuspended)
    }
  }

  // D13
  @Test("a placeholder is shown as soon as a node is loaded")
  func placeholderAtOnce() throws {
    try withDisplay { display in
      let node = Block("", Rect(x: 0, y: 0, width: 2, height: 2), .red)
      node.placeholder = try Bitmap.draw(PixelSize(width: 1, height: 1), from: display.pool) {
        $0.fill(with: .blue)
      }
      node.load(in: display)
      #expect(try node.look(at: 0, 0) == 0xFF00_00FF)
      let isFinished = display.settle()
      #expect(isFinished)
      #expect(try node.look(at: 0, 0) == 0xFFFF_0000)
      node.clearContents()
      #expect(try node.look(at: 0, 0) == 0xFF00_00FF)
    }
  }

  // D13. In Texture the placeholder is never removed.
  @Test("removing a part that has not been displayed leaves no placeholder behind")
  func placeholderWithoutPart() throws {
    try withDisplay { display in
      let root = Block("", Rect(x: 0, y: 0, width: 2, height: 2), .red)
      let part = Block("", Rect(x: 0, y: 0, width: 1, height: 1), .green)
      root.addSubnode(part)
      part.work = { isCancelled in while !isCancelled() {} }
      root.load(in: display)
      while root.layer?.contents == nil { display.loop.run(.noWait) }
      #expect(!root.hasDisplayedHierarchy)
      part.removeFromSupernode()
      let isFinished = display.settle()
      #expect(isFinished && root.hasDisplayedHierarchy)
    }
  }

  @Test("a clean node is not redrawn when it is detached and attached")
  func attached() throws {
    try withDisplay { display in
      let node = ImageNode()
      node.frame = Rect(x: 0, y: 0, width: 4, height: 4)
      node.image = .data(Pictures.file("png", 4, 4))
      node.load(in: display)
      node.waitUntilDisplayed()
      let contents = node.layer?.contents
      node.isDetached = true
      node.isDetached = false
      node.image = .data(Pictures.file("png", 4, 4))
      node.contentMode = .aspectFill
      let isFinished = display.settle()
      #expect(isFinished && contents != nil && node.layer?.contents === contents)
      #expect(display.metrics.begun == 1)
    }
  }

  @Test("a display uses the size and the scale that its layer had when it began")
  func snapshot() throws {
    try withDisplay { display in
      let painter = Painter()
      let layer = Layer(in: display, painter)
      let (began, gate) = (Gate(), Gate())
      painter.work = { count, _ in
        began.open()
        if count == 1 { gate.wait() }
      }
      var shown: [PixelSize?] = []
      painter.onDid = { [weak layer] _ in shown.append(layer?.contents?.pixels) }
      layer.setNeedsDisplay()
      display.loop.run(.noWait)
      #expect(began.wait())
      layer.size = Size(width: 8, height: 8)
      layer.scale = 2
      gate.open()
      let isFinished = display.settle()
      #expect(isFinished)
      #expect(shown == [PixelSize(width: 4, height: 4), PixelSize(width: 16, height: 16)])
      painter.onDid = nil
    }
  }

  @Test("changes that a part's drawing makes to its context do not affect other parts")
  func scoped() throws {
    try withDisplay { display in
      let root = Node()
      root.frame = Rect(x: 0, y: 0, width: 4, height: 4)
      root.rasterizesSubtree = true
      let parts = [Careless(), Block("", Rect(x: 0, y: 0, width: 2, height: 4), .green)]
      parts[0].frame = root.frame
      parts[0].addSubnode(Block("", Rect(x: 2, y: 0, width: 2, height: 4), .green))
      for part in parts { root.addSubnode(part) }
      root.load(in: display)
      root.waitUntilDisplayed()
      let bitmap = try #require(root.layer?.contents)
      #expect(bitmap.pixel(0, 0) == 0xFF00_FF00 && bitmap.pixel(3, 3) == 0xFF00_FF00)
    }
  }
}

/// A node whose drawing leaves its context translated, scaled and clipped.
private final class Careless: Node {
  override func makeDrawing() -> DisplayTask.Display? {
    { context, _, _ in
      context.translate(x: 2, y: 2)
      context.scale(x: 3, y: 3)
      context.clip(to: Rect(x: 0, y: 0, width: 0.1, height: 0.1))
    }
  }
}
