import AsyncDisplay
import LoopTransactions
import LoopTransactionsTesting
import Testing

private let red: UInt32 = 0xFFFF_0000
private let green: UInt32 = 0xFF00_FF00
private let blue: UInt32 = 0xFF00_00FF

@Suite("Flattening")
struct FlattenTests {
  /// Returns a root of 40 x 40 points with a red, a green and a blue part of 20
  /// x 20 points. The parts lie along the diagonal, 10 points apart. The green
  /// part has a dot outside its right edge.
  func makeTree(_ trace: Trace = Trace()) -> (root: Node, parts: [Block], dot: Block) {
    let root = Node()
    root.frame = Rect(x: 0, y: 0, width: 40, height: 40)
    let colors: [(String, Color)] = [("red", .red), ("green", .green), ("blue", .blue)]
    let parts = colors.enumerated().map { index, each in
      let place = Double(index) * 10
      return Block(each.0, Rect(x: place, y: place, width: 20, height: 20), each.1, trace)
    }
    for part in parts { root.addSubnode(part) }
    let dot = Block("dot", Rect(x: 21, y: 0, width: 4, height: 4), .black, trace)
    parts[1].addSubnode(dot)
    return (root, parts, dot)
  }

  func rest(_ root: Node, in display: Display) throws -> Bitmap {
    if !root.isLoaded { root.load(in: display) }
    root.waitUntilDisplayed()
    return try root.look()
  }

  /// Draws the tree as it is shown, including a margin of 10 points around it.
  private func lookAround(_ root: Node) throws -> Bitmap {
    let display = try #require(root.display)
    return try Bitmap.draw(PixelSize(width: 60, height: 60), from: display.pool) { context in
      context.translate(x: 10, y: 10)
      try root.composite(in: context, at: display.loop.now)
    }
  }

  // D11
  @Test(
    "flattening draws the parts into one bitmap off the loop, looks the same, and frees their bitmaps"
  )
  func flattens() throws {
    try withDisplay { display in
      let tree = makeTree()
      #expect(!tree.root.flatten())
      tree.parts[2].alpha = 0.5
      tree.parts[0].cornerRadius = 4
      // The dot is outside the left edge of the root.
      tree.dot.frame.origin.x = -12
      _ = try rest(tree.root, in: display)
      let before = try lookAround(tree.root)
      let begun = display.metrics.begun
      #expect(tree.root.flatten() && !tree.root.isFlattened)
      #expect(!tree.root.flatten())
      display.loop.run(.noWait)
      #expect(display.metrics.inFlightBytes > 0 || tree.root.isFlattened)
      let isFinished = display.settle()
      #expect(isFinished && tree.root.isFlattened)
      #expect(display.metrics.begun == begun + 1)
      let layers = tree.root.layers.filter { $0.contents != nil }
      #expect(layers.isEmpty && display.pool.metrics.lent == 2)
      let after = try lookAround(tree.root)
      let isSame = after.hasSamePixels(as: before)
      #expect(isSame)
      // A flat tree that does not change is not displayed again.
      let isIdle = display.settle()
      #expect(isIdle && display.metrics.begun == begun + 1)
    }
  }

  // D11
  @Test("if a part changes, the picture stays visible until all parts are displayed separately")
  func comesApart() throws {
    try withDisplay { display in
      let tree = makeTree()
      for part in tree.parts { part.fadeDuration = .seconds(100) }
      let changes: [(Block) -> Void] = [
        { $0.setNeedsDisplay() }, { $0.frame.origin.x += 1 }, { $0.alpha = 0.9 },
        { $0.isHidden = true }, { $0.backgroundColor = .red }, { $0.isOpaque = true },
        { $0.subnodes.first?.setNeedsDisplay() }, { $0.clipsToBounds = true },
        { $0.layer?.setNeedsDisplay() },
      ]
      _ = try rest(tree.root, in: display)
      for (index, change) in changes.enumerated() {
        for part in tree.parts { part.fadeDuration = .zero }
        #expect(tree.root.flatten(), "change \(index)")
        let isFlat = display.settle()
        #expect(isFlat && tree.root.isFlattened, "change \(index)")
        // Parts that reappear must not fade in, because their pixels were
        // visible all the time.
        for part in tree.parts { part.fadeDuration = .seconds(100) }
        let gate = Gate()
        tree.parts[2].work = { _ in gate.wait() }
        let shown = try tree.root.look()
        #expect(tree.root.isFlattened, "change \(index)")
        change(tree.parts[1])
        #expect(!tree.root.isFlattened)
        let deadline = LoopClock.now.advanced(by: .seconds(10))
        while tree.parts[0].layer?.contents == nil, LoopClock.now < deadline {
          display.loop.run(.noWait)
        }
        let meanwhile = try tree.root.look()
        let isSame = meanwhile.hasSamePixels(as: shown)
        #expect(isSame, "change \(index)")
        gate.open()
        let isApart = display.settle()
        #expect(isApart && tree.root.layers.dropFirst().allSatisfy { $0.contents != nil })
        #expect(try tree.root.look(at: 25, 25) == blue, "change \(index)")
        tree.parts[2].work = nil
      }
    }
  }

  // D11
  @Test("setting an equal value or requesting a display does not separate a flat picture")
  func sameSettings() throws {
    try withDisplay { display in
      let tree = makeTree()
      _ = try rest(tree.root, in: display)
      #expect(tree.root.flatten())
      let isFlat = display.settle()
      let part = tree.parts[1]
      part.fadeDuration = .zero
      part.displaysAsynchronously = true
      part.isOpaque = false
      part.scale = 1
      part.alpha = 1
      #expect(isFlat && tree.root.isFlattened)
      let begun = display.metrics.begun
      tree.root.displayIfNeeded()
      tree.root.waitUntilDisplayed()
      tree.root.isDetached = true
      tree.root.isDetached = false
      let isFinished = display.settle()
      #expect(isFinished && tree.root.isFlattened && display.metrics.begun == begun)
    }
  }

  // D11
  @Test("controls and parts in front of a control keep their own bitmaps")
  func demotes() throws {
    try withDisplay { display in
      let tree = makeTree()
      let button = ControlNode()
      button.frame = Rect(x: 25, y: 25, width: 15, height: 15)
      button.backgroundColor = .black
      button.addTarget(button, for: .touchUpInside) { button, _, _ in button.backgroundColor = .red
      }
      tree.root.addSubnode(button)
      let front = Block("front", Rect(x: 30, y: 30, width: 5, height: 5), .green)
      let aside = Block("aside", Rect(x: 0, y: 30, width: 5, height: 5), .green)
      for node in [front, aside] { tree.root.addSubnode(node) }
      let before = try rest(tree.root, in: display)
      #expect(tree.root.flatten())
      let isFinished = display.settle()
      #expect(isFinished && tree.root.isFlattened)
      #expect(button.layer?.contents != nil && front.layer?.contents != nil)
      #expect(aside.layer?.contents == nil && tree.parts[0].layer?.contents == nil)
      let after = try tree.root.look()
      let isSame = after.hasSamePixels(as: before)
      #expect(isSame && after.pixel(32, 32) == green)
      // The control redraws itself without separating the picture.
      let router = TouchRouter(tree.root)
      #expect(router.began(at: Point(x: 27, y: 27)))
      router.ended(at: Point(x: 27, y: 27))
      let isPressed = display.settle()
      #expect(isPressed && tree.root.isFlattened)
      #expect(try tree.root.look(at: 27, 27) == red)
    }
  }

  @Test("adding, removing, clearing or unloading parts leaves no flat picture behind")
  func structure() throws {
    try withDisplay { display in
      let changes: [((root: Node, parts: [Block], dot: Block)) -> Void] = [
        { $0.parts[0].removeFromSupernode() }, { $0.dot.removeFromSupernode() },
        { $0.root.addSubnode(Block("new", Rect(x: 0, y: 0, width: 1, height: 1), .red)) },
        { $0.root.clearContents() }, { $0.root.unload() },
        { tree in
          tree.parts[1].setNeedsDisplay()
          for part in tree.parts { part.removeFromSupernode() }
        },
      ]
      for (index, change) in changes.enumerated() {
        let tree = makeTree()
        _ = try rest(tree.root, in: display)
        #expect(tree.root.flatten())
        let isFlat = display.settle()
        #expect(isFlat && tree.root.isFlattened)
        change(tree)
        let isFinished = display.settle()
        #expect(isFinished && !tree.root.isFlattened, "change \(index)")
        let shown = tree.root.isLoaded ? tree.root.layers.count { $0.contents != nil } : 0
        #expect(display.pool.metrics.lent == shown, "change \(index)")
        if tree.root.isLoaded {
          for layer in tree.root.layers { layer.setNeedsDisplay() }
          tree.root.waitUntilDisplayed()
          #expect(tree.root.layers.dropFirst().allSatisfy { $0.contents != nil })
        }
        tree.root.unload()
      }
      #expect(display.pool.metrics.lent == 0)
    }
  }

  // D11, O2
  @Test("a node of the lowest priority is flattened after all other work")
  func priority() throws {
    try withDisplay(workers: 1) { display in
      let tree = makeTree()
      _ = try rest(tree.root, in: display)
      let pool = display.pool
      let lent = pool.metrics.lent
      let (gate, lentMeanwhile) = (Gate(), Locked(0))
      display.scheduler.add(priority: .interactive) { _ in gate.wait() }
      let last = OperationPriority(rawValue: OperationPriority.background.rawValue - 20)
      #expect(tree.root.flatten())
      display.loop.run(.noWait)
      tree.root.priority = last
      display.scheduler.add(priority: OperationPriority(rawValue: last.rawValue + 10)) { _ in
        lentMeanwhile.withLock { $0 = pool.metrics.lent }
      }
      gate.open()
      let isFinished = display.settle()
      #expect(isFinished && tree.root.isFlattened)
      #expect(lentMeanwhile.withLock { $0 } == lent)
    }
  }
}
