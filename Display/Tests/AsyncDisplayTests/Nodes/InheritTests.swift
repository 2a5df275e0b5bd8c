import AsyncDisplay
import LoopTransactions
import LoopTransactionsTesting
import Testing

@Suite("Inherited state of parts")
struct InheritTests {
  private let frame = Rect(x: 0, y: 0, width: 8, height: 8)

  private func block(_ trace: Trace = Trace()) -> Block { Block("part", frame, .red, trace) }

  // D9, D12
  @Test("a part inherits its tree's holds and priority", arguments: [true, false])
  func added(_ isDetaching: Bool) throws {
    try withDisplay { display in
      let path = isDetaching ? \Node.isDetached : \Node.isSuspended
      let (root, trace) = (block(), Trace())
      root.load(in: display)
      root.waitUntilDisplayed()
      root[keyPath: path] = true
      root.priority = .interactive
      let (part, inner) = (block(trace), block(trace))
      part.addSubnode(inner)
      root.addSubnode(part)
      var isFinished = display.settle()
      #expect(isFinished && part[keyPath: path] && inner[keyPath: path])
      #expect(part.priority == .interactive && inner.priority == .interactive)
      #expect(trace.events == [] && part.layer?.contents == nil)
      root[keyPath: path] = false
      isFinished = display.settle()
      #expect(isFinished && part.layer?.contents != nil && inner.layer?.contents != nil)
    }
  }

  // D9, D12
  @Test("images of a part added to a detached tree are decoded after the tree is attached")
  func decodesNothing() throws {
    try withDisplay { display in
      for rasterizes in [true, false] {
        let (root, count) = (block(), Counted())
        root.rasterizesSubtree = rasterizes
        root.load(in: display)
        root.waitUntilDisplayed()
        root.isDetached = true
        let part = CountedImage(frame, count)
        root.addSubnode(part)
        part.setNeedsDisplay()
        var isFinished = display.settle()
        #expect(isFinished && count.value == 0 && !part.isPrepared)
        root.isDetached = false
        isFinished = display.settle()
        #expect(isFinished && count.value == 1 && part.isPrepared)
        let pixel = try root.look(at: 7, 0)
        #expect(pixel == 0xFFFF_0000)
      }
    }
  }

  // D9, D12
  @Test("bands that appear while their node is detached are drawn after it is attached")
  func bands() throws {
    try withDisplay { display in
      let node = BandedBlock()
      node.frame = Rect(x: 0, y: 0, width: 8, height: 4000)
      node.viewport = Rect(x: 0, y: 0, width: 8, height: 100)
      node.load(in: display)
      node.waitUntilDisplayed()
      node.priority = .high
      node.isDetached = true
      let begun = display.metrics.begun
      node.viewport?.origin.y = 2000
      var isFinished = display.settle()
      #expect(isFinished && display.metrics.begun == begun)
      node.isDetached = false
      isFinished = display.settle()
      #expect(isFinished && node.subnodes.allSatisfy { $0.layer?.contents != nil })
      #expect(node.subnodes.map { $0.priority }.max() == .high)
    }
  }

  // D9
  @Test("the bands of a banded node take the priority of the tree it is added to")
  func bandedPart() throws {
    try withDisplay { display in
      let (root, node) = (block(), BandedBlock())
      root.load(in: display)
      root.priority = .high
      node.frame = Rect(x: 0, y: 0, width: 8, height: 400)
      node.viewport = node.bounds
      root.addSubnode(node)
      #expect(node.priority == .high && node.subnodes.allSatisfy { $0.priority == .high })
    }
  }

  @Test("setting the scale of a loaded tree sets the scale of all parts and bands")
  func scale() throws {
    try withDisplay { display in
      let (root, part, inner) = (Node(), block(), block())
      root.frame = frame
      root.addSubnode(part)
      part.addSubnode(inner)
      let banded = BandedBlock()
      banded.frame = Rect(x: 0, y: 0, width: 8, height: 8)
      banded.bandHeight = 2.5
      root.addSubnode(banded)
      root.load(in: display)
      root.waitUntilDisplayed()
      #expect(banded.subnodes.map(\.frame.origin.y).sorted() == [0, 3, 6])
      root.scale = 2
      let isFinished = display.settle()
      #expect(isFinished && inner.scale == 2)
      #expect(inner.layer?.contents?.pixels == PixelSize(width: 16, height: 16))
      #expect(banded.subnodes.map(\.frame.origin.y).sorted() == [0, 2.5, 5, 7.5])
      #expect(banded.subnodes.allSatisfy { $0.layer?.contents?.pixels.width == 16 })
      // The drawing of each band matches its position.
      let pixels = try root.look()
      #expect(pixels.pixel(0, 15) == 0xFF00_FF00)
    }
  }

  @Test("existing bands take over properties that are set on their node")
  func settings() throws {
    try withDisplay { display in
      let node = BandedBlock()
      node.frame = frame
      node.load(in: display)
      node.waitUntilDisplayed()
      node.isOpaque = true
      node.fadeDuration = .seconds(1)
      node.displaysAsynchronously = false
      let layer = try #require(node.subnodes.first?.layer)
      #expect(layer.isOpaque && layer.fadeDuration == .seconds(1))
      #expect(!layer.displaysAsynchronously && node.subnodes.first?.isOpaque == true)
    }
  }

  // D5
  @Test("bringing a part to the front or moving it within the tree does not redraw it")
  func moves() throws {
    try withDisplay { display in
      let (root, trace) = (Node(), Trace())
      root.frame = frame
      let homes = [block(), block()]
      let parts = [block(trace), block(trace)]
      for home in homes { root.addSubnode(home) }
      for part in parts { homes[0].addSubnode(part) }
      root.load(in: display)
      root.waitUntilDisplayed()
      trace.take()
      let (layer, contents) = (parts[0].layer, parts[0].layer?.contents)
      parts[0].priority = .high
      homes[0].addSubnode(parts[0])
      #expect(homes[0].subnodes.last === parts[0])
      #expect(parts[0].layer === layer && layer?.contents === contents && contents != nil)
      #expect(parts[0].priority == .high && parts[0].hasDisplayedHierarchy)
      homes[1].addSubnode(parts[0])
      let isFinished = display.settle()
      #expect(isFinished && parts[0].layer === layer && layer?.contents === contents)
      #expect(trace.events == [])
      // A part that moves to a suspended parent is suspended.
      homes[0].isSuspended = true
      homes[0].addSubnode(parts[0])
      #expect(parts[0].isSuspended && layer?.contents === contents)
      homes[1].addSubnode(parts[0])
      #expect(!parts[0].isSuspended && layer?.contents === contents)
    }
  }

  // D5
  @Test("moving a part within one picture redraws the picture without decoding again")
  func movesInPicture() throws {
    try withDisplay { display in
      let (root, count) = (block(), Counted())
      root.rasterizesSubtree = true
      let (part, front) = (CountedImage(frame, count), block())
      root.addSubnode(part)
      root.addSubnode(front)
      root.load(in: display)
      let isFinished = display.settle()
      #expect(isFinished && count.value == 1)
      root.addSubnode(part)
      root.waitUntilDisplayed()
      #expect(count.value == 1 && display.metrics.displayed == 2)
      #expect(root.layer?.contents?.pixel(0, 7) == 0xFF00_FF00)
    }
  }

  // D11
  @Test("bringing a part of a flat picture to the front separates the picture")
  func movesFlat() throws {
    try withDisplay { display in
      let root = Node()
      root.frame = frame
      let parts = [block(), Block("blue", frame, .blue)]
      for part in parts { root.addSubnode(part) }
      root.load(in: display)
      root.waitUntilDisplayed()
      #expect(root.flatten())
      var isFinished = display.settle()
      #expect(isFinished && root.isFlattened)
      root.addSubnode(parts[0])
      isFinished = display.settle()
      #expect(isFinished && !root.isFlattened && display.pool.metrics.lent == 2)
      let pixel = try root.look(at: 4, 4)
      #expect(pixel == 0xFFFF_0000)
      // Moving a deeper part elsewhere separates the picture, too.
      let inner = Block("inner", frame, .green)
      parts[1].addSubnode(inner)
      root.waitUntilDisplayed()
      #expect(root.flatten())
      isFinished = display.settle()
      #expect(isFinished && root.isFlattened && inner.layer?.contents == nil)
      root.addSubnode(inner)
      isFinished = display.settle()
      #expect(isFinished && !root.isFlattened && inner.layer?.contents != nil)
    }
  }
}

/// A node of green bands.
private final class BandedBlock: BandedNode {
  override func makeBandDrawing() -> BandDisplay? {
    { context, size, _, _ in context.fill(Rect(size: size), with: .green) }
  }
}
