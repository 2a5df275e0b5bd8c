import AsyncDisplay
import LoopTransactions
import LoopTransactionsTesting
import Testing

private let red: UInt32 = 0xFFFF_0000
private let green: UInt32 = 0xFF00_FF00
private let blue: UInt32 = 0xFF00_00FF

@Suite("Rasterized subtrees")
struct RasterTests {
  private func picture(of root: Node, in display: Display) throws -> Bitmap {
    root.load(in: display)
    root.waitUntilDisplayed()
    return try #require(root.layer?.contents)
  }

  // D9
  @Test("a subtree is drawn into one bitmap, each part at its position")
  func offsets() throws {
    try withDisplay { display in
      let tree = makeTree()
      let bitmap = try picture(of: tree.root, in: display)
      #expect(tree.child.layer == nil && tree.inner.layer == nil)
      #expect(bitmap.pixel(4, 4) == red && bitmap.pixel(5, 5) == green)
      #expect(bitmap.pixel(9, 9) == green && bitmap.pixel(10, 10) == blue)
      // The part is outside its supernode, which does not clip.
      #expect(bitmap.pixel(19, 19) == blue && bitmap.pixel(16, 5) == red)
    }
  }

  // D9
  @Test("parts are clipped to bounds and rounded corners if their node requests it")
  func clipping() throws {
    try withDisplay { display in
      let tree = makeTree()
      tree.child.clipsToBounds = true
      let bitmap = try picture(of: tree.root, in: display)
      #expect(bitmap.pixel(14, 14) == blue && bitmap.pixel(15, 15) == red)
      let round = makeTree()
      round.child.cornerRadius = 5
      let rounded = try picture(of: round.root, in: display)
      #expect(rounded.pixel(5, 5) == red && rounded.pixel(14, 14) == red)
      #expect(rounded.pixel(9, 6) == green && rounded.pixel(11, 11) == blue)
      let corner = makeTree()
      corner.root.cornerRadius = 8
      let clear = try picture(of: corner.root, in: display)
      #expect(clear.pixel(0, 0) == 0 && clear.pixel(19, 19) == 0 && clear.pixel(10, 0) == red)
    }
  }

  // D9
  @Test("hidden and transparent parts are skipped with their subtrees")
  func hidden() throws {
    try withDisplay { display in
      let trace = Trace()
      let tree = makeTree(trace)
      tree.child.isHidden = true
      let bitmap = try picture(of: tree.root, in: display)
      #expect(bitmap.pixel(10, 10) == red && bitmap.pixel(6, 6) == red)
      #expect(trace.take().filter { $0.hasPrefix("draw") } == ["draw root"])
      tree.child.isHidden = false
      tree.child.alpha = 0
      tree.root.waitUntilDisplayed()
      #expect(trace.take().filter { $0.hasPrefix("draw") } == ["draw root"])
      tree.child.alpha = 1
      tree.inner.isHidden = true
      tree.root.waitUntilDisplayed()
      #expect(trace.take().filter { $0.hasPrefix("draw") } == ["draw root", "draw child"])
    }
  }

  // D9
  @Test("a translucent part is blended as a whole with the content behind it")
  func alpha() throws {
    try withDisplay { display in
      let tree = makeTree()
      tree.child.alpha = 0.5
      let bitmap = try picture(of: tree.root, in: display)
      // The pixels are a blend of red and green, or of red and blue. The green
      // behind the blue is not visible.
      #expect([0xFF80_7F00, 0xFF7F_8000, 0xFF7F_7F00, 0xFF80_8000].contains(bitmap.pixel(6, 6)))
      #expect([0xFF80_007F, 0xFF7F_0080, 0xFF7F_007F, 0xFF80_0080].contains(bitmap.pixel(12, 12)))
    }
  }

  // D9
  @Test("willDisplay and didDisplay are called for every part once per display")
  func fansOut() throws {
    try withDisplay { display in
      let trace = Trace()
      let tree = makeTree(trace)
      tree.root.load(in: display)
      let isFinished = display.settle()
      #expect(isFinished)
      #expect(
        trace.events == [
          "will root", "will child", "will inner", "draw root", "draw child", "draw inner",
          "did root displayed", "did child displayed", "did inner displayed", "all of root",
        ]
      )
    }
  }

  // D9
  @Test("a loaded tree added to a rasterized tree is drawn once, as part of its picture")
  func takesRoot() throws {
    try withDisplay { display in
      let trace = Trace()
      let root = Block("root", Rect(x: 0, y: 0, width: 20, height: 20), .red, trace)
      let child = Block("child", Rect(x: 5, y: 5, width: 10, height: 10), .green, trace)
      root.rasterizesSubtree = true
      root.load(in: display)
      child.load(in: display)
      #expect(display.settle() && child.layer?.contents != nil)
      trace.take()
      root.addSubnode(child)
      child.setNeedsDisplay()
      #expect(display.settle())
      #expect(trace.take().filter { $0.hasPrefix("draw") } == ["draw root", "draw child"])
      #expect(child.layer == nil && child.isLoaded && root.layers.count == 1)
      #expect(root.layer?.contents?.pixel(10, 10) == green)
      // If the new parent does not rasterize, the tree keeps its contents.
      let (plain, other) = (Node(), Block("other", Rect(x: 0, y: 0, width: 4, height: 4), .blue))
      plain.load(in: display)
      other.load(in: display)
      #expect(display.settle())
      plain.addSubnode(other)
      #expect(other.layer?.contents != nil && plain.layers.count == 2)
    }
  }

  // D14
  @Test("a picture drawn on the loop has the same bytes as a picture drawn on a worker")
  func sameBytes() throws {
    try withDisplay { display in
      let trees = [true, false].map { isAsynchronous in
        let tree = makeTree()
        tree.child.cornerRadius = 3
        tree.inner.alpha = 0.4
        tree.root.displaysAsynchronously = isAsynchronous
        tree.root.load(in: display, scale: 3)
        return tree
      }
      let isFinished = display.settle()
      #expect(isFinished)
      let pictures = try trees.map { try #require($0.root.layer?.contents) }
      let isSame = pictures[0].hasSamePixels(as: pictures[1])
      #expect(isSame)
    }
  }
}
