import AsyncDisplay
import Foundation
import LoopTransactions
import LoopTransactionsTesting
import Testing

private let red: UInt32 = 0xFFFF_0000
private let blue: UInt32 = 0xFF00_00FF

@Suite("Node")
struct NodeTests {
  // D9
  @Test("cancelling a part of a picture cancels the picture and skips its remaining steps")
  func cancelInherited() throws {
    try withDisplay { display in
      let trace = Trace()
      let tree = makeTree(trace)
      let (began, gate) = (Gate(), Gate())
      tree.child.work = { _ in
        began.open()
        gate.wait()
      }
      tree.root.load(in: display)
      display.loop.run(.noWait)
      #expect(began.wait())
      tree.inner.cancelDisplay()
      gate.open()
      let isFinished = display.settle()
      #expect(isFinished)
      #expect(!trace.events.contains("draw inner"))
      #expect(
        trace.events.suffix(3) == [
          "did root cancelled", "did child cancelled",
          "did inner cancelled",
        ]
      )
      #expect(tree.root.layer?.needsDisplay == true)
      #expect(display.pool.metrics.lent == 0)
      tree.root.waitUntilDisplayed()
      #expect(tree.root.layer?.contents?.pixel(10, 10) == blue)
    }
  }

  // D2, D9
  @Test("an unloaded node is cancelled and not displayed again, even if a layer is retained")
  func unloadHeld() throws {
    try withDisplay { display in
      let trace = Trace()
      let block = Block("held", Rect(x: 0, y: 0, width: 8, height: 8), .red, trace)
      let began = Gate()
      block.work = { isCancelled in
        began.open()
        let end = LoopClock.now.advanced(by: .seconds(10))
        while !isCancelled(), LoopClock.now < end {}
      }
      block.load(in: display)
      display.loop.run(.noWait)
      #expect(began.wait())
      let layer = try #require(block.layers.first)
      block.unload()
      var isFinished = display.settle()
      #expect(isFinished && layer.contents == nil)
      layer.setNeedsDisplay()
      layer.isSuspended = true
      layer.isSuspended = false
      layer.displayNow()
      isFinished = display.settle()
      #expect(isFinished && layer.contents == nil && !layer.needsDisplay)
      #expect(trace.events == ["will held", "draw held", "did held cancelled"])
    }
  }

  // D2, D9
  @Test("a node unloaded by another node's willDisplay gets no willDisplay")
  func unloadInWill() throws {
    try withDisplay { display in
      let trace = Trace()
      let frame = Rect(x: 0, y: 0, width: 8, height: 8)
      let first = Unloader("first", frame, .red, trace)
      let second = Block("second", frame, .blue, trace)
      first.other = second
      for node in [first, second] { node.load(in: display) }
      let isFinished = display.settle()
      #expect(isFinished && !second.isLoaded)
      #expect(trace.events == ["will first", "draw first", "did first displayed", "all of first"])
    }
  }

  // D9
  @Test("cancelling a node cancels the layers of all its parts")
  func cancelTree() throws {
    try withDisplay(workers: 1) { display in
      let gate = Gate()
      display.scheduler.add(priority: .interactive) { _ in gate.wait() }
      let tree = makeTree()
      tree.root.rasterizesSubtree = false
      tree.root.load(in: display)
      display.loop.run(.noWait)
      #expect(tree.root.layers.count == 3 && tree.root.layers.allSatisfy(\.isDisplaying))
      tree.root.cancelDisplay()
      #expect(tree.root.layers.allSatisfy { !$0.isDisplaying && $0.needsDisplay })
      gate.open()
      let isFinished = display.settle()
      #expect(isFinished)
      #expect(display.metrics.cancelled == 3 && display.metrics.displayed == 0)
    }
  }

  // D9
  @Test("a tree is built and laid out on a worker and then belongs to the loop")
  func built() throws {
    try withDisplay { display in
      let loop = ThreadName()
      var root: Column?
      display.build { _ -> sending Column in
        #expect(!loop.isCurrent)
        let column = Column()
        column.frame = Rect(x: 0, y: 0, width: 10, height: 20)
        column.rasterizesSubtree = true
        for color in [Color.red, .blue] { column.addSubnode(Block("", .zero, color)) }
        return column
      } completion: { outcome in
        #expect(loop.isCurrent)
        root = outcome.value
        #expect(root?.subnodes.map(\.frame.origin.y) == [0, 10])
        root?.load(in: display, scale: 2)
      }
      let isFinished = display.settle()
      #expect(isFinished)
      let bitmap = try #require(root?.layer?.contents)
      #expect(bitmap.pixels == PixelSize(width: 20, height: 40))
      #expect(bitmap.pixel(19, 19) == red && bitmap.pixel(0, 20) == blue)
      #expect(display.metrics.begun == 1)
      root?.frame.size.height = 40
      let isLaidOut = display.settle()
      #expect(isLaidOut)
      #expect(root?.subnodes.last?.frame.origin.y == 20)
      // An invalidation during layout is included in the display that triggered
      // the layout.
      #expect(display.metrics.begun == 2)
    }
  }

  // D9
  @Test("changing a part redraws its picture, and moving the picture does not")
  func invalidation() throws {
    try withDisplay { display in
      let trace = Trace()
      let tree = makeTree(trace)
      tree.root.load(in: display)
      tree.root.waitUntilDisplayed()
      let changes: [() -> Void] = [
        { tree.inner.frame.origin.x = 0 }, { tree.inner.alpha = 0.5 },
        { tree.child.isHidden = true }, { tree.child.backgroundColor = .red },
        { tree.child.clipsToBounds = true }, { tree.inner.cornerRadius = 2 },
        { tree.inner.removeFromSupernode() }, { tree.child.addSubnode(tree.inner) },
      ]
      for (index, change) in changes.enumerated() {
        change()
        #expect(tree.root.layer?.needsDisplay == true, "change \(index)")
        tree.root.waitUntilDisplayed()
      }
      tree.root.frame.origin.x = 100
      tree.root.alpha = 0.3
      #expect(tree.root.layer?.needsDisplay == false)
    }
  }

  // D13
  @Test("a placeholder is shown until the last part is displayed")
  func placeholder() throws {
    try withDisplay { display in
      let trace = Trace()
      let tree = makeTree(trace)
      tree.root.rasterizesSubtree = false
      tree.root.frame.origin = .zero
      tree.root.placeholder = try Bitmap.draw(PixelSize(width: 1, height: 1), from: display.pool) {
        $0.fill(with: .white)
      }
      func look() throws -> UInt32 {
        try Bitmap.draw(PixelSize(width: 20, height: 20), from: display.pool) {
          try tree.root.composite(in: $0, at: display.loop.now)
        }.pixel(10, 10)
      }
      let gate = Gate()
      tree.inner.work = { _ in gate.wait() }
      tree.root.load(in: display)
      while tree.root.layer?.contents == nil || tree.child.layer?.contents == nil {
        display.loop.run(.noWait)
      }
      #expect(try look() == 0xFFFF_FFFF)
      #expect(!tree.root.hasDisplayedHierarchy)
      gate.open()
      let isFinished = display.settle()
      #expect(isFinished)
      #expect(trace.events.suffix(3) == ["all of inner", "all of child", "all of root"])
      #expect(try look() == blue)
    }
  }

  // D7
  @Test("a suspended tree displays nothing until it is resumed, and displays everything afterwards")
  func suspended() throws {
    try withDisplay { display in
      let tree = makeTree()
      tree.root.rasterizesSubtree = false
      tree.root.load(in: display)
      tree.root.isSuspended = true
      var isFinished = display.settle()
      #expect(isFinished && display.metrics.begun == 0)
      tree.root.isSuspended = false
      isFinished = display.settle()
      #expect(isFinished && display.metrics.displayed == 3)
    }
  }

  // Each body exits with success if nothing traps, because releasing an open
  // loop would trap, too.
  @Test("cyclic trees, nested rasterizing and use off the loop trap")
  func traps() async {
    await #expect(processExitsWith: .failure) {
      let node = Node()
      node.addSubnode(node)
      exit(EXIT_SUCCESS)
    }
    await #expect(processExitsWith: .failure) {
      let (outer, inner) = (Node(), Node())
      outer.rasterizesSubtree = true
      inner.rasterizesSubtree = true
      outer.addSubnode(inner)
      exit(EXIT_SUCCESS)
    }
    await #expect(processExitsWith: .failure) {
      let loop = try EventLoop()
      let node = Node()
      node.load(in: Display(on: loop))
      node.rasterizesSubtree = true
      exit(EXIT_SUCCESS)
    }
    await #expect(processExitsWith: .failure) {
      let loop = try EventLoop()
      let display = Display(on: loop)
      let kept = Kept(Layer(in: display))
      let thread = Thread { kept.value = nil }
      thread.start()
      while !thread.isFinished {}
      // The display must outlive the test, because releasing it would trap,
      // too.
      withExtendedLifetime(display) { exit(EXIT_SUCCESS) }
    }
    await #expect(processExitsWith: .failure) {
      let loop = try EventLoop()
      let node = Node()
      node.load(in: Display(on: loop))
      let kept = Kept(node)
      let thread = Thread { (kept.value as? Node)?.alpha = 0.5 }
      thread.start()
      while !thread.isFinished {}
      exit(EXIT_SUCCESS)
    }
  }
}

/// A node that stacks its parts vertically with equal heights.
private final class Column: Node {
  override func layOut() {
    let height = frame.size.height / Double(subnodes.count)
    for (index, node) in subnodes.enumerated() {
      node.frame = Rect(
        x: 0,
        y: Double(index) * height,
        width: frame.size.width,
        height: height
      )
    }
  }
}

/// A node whose `willDisplay` unloads another node.
private final class Unloader: Block {
  var other: Node?

  override func willDisplay() {
    super.willDisplay()
    other?.unload()
  }
}
