@testable import AsyncDisplay
import LoopTransactions
import LoopTransactionsTesting
import Testing

@Suite("Trees under random changes")
struct TreeLedgerTests {
  // D2, D3, D5, D9, D11
  @Test(
    "after random changes a tree equals a full redraw, and each willDisplay has had a didDisplay",
    arguments: 0..<24
  )
  func stress(_ seed: UInt64) throws {
    try withDisplay(inFlightLimit: 3000) { display in
      let tree = RandomTree(display, seed)
      for _ in 0..<1000 { tree.change() }
      tree.root.isSuspended = false
      tree.root.isDetached = false
      tree.root.forEachNode { $0.displayIfNeeded() }
      let isFinished = display.settle()
      let shown = try tree.look()
      #expect(isFinished && tree.root.hasDisplayedHierarchy)
      let undone = tree.root.layers.filter { $0.needsDisplay || $0.isDisplaying }
      #expect(undone.isEmpty, "\(undone.map { ($0.needsDisplay, $0.isDisplaying, $0.size) })")
      tree.root.forEachNode { node in
        node.unflatten()
        (node as? BandedNode)?.setNeedsContent()
        node.setNeedsDisplay()
      }
      let isDrawnAnew = display.settle()
      let isSame = try tree.look().hasSamePixels(as: shown)
      #expect(isDrawnAnew && isSame)
      let told = tree.trace.events
      let wills = told.count { $0.hasPrefix("will") }
      #expect(wills == told.count { $0.hasPrefix("did") } && wills > 20)
      #expect(display.metrics.inFlightBytes == 0 && display.metrics.waiting == 0)
      tree.root.unload()
      // Removed nodes were unloaded and released their pictures.
      #expect(display.undecodedCount == 0)
    }
  }
}

/// A tree with nodes of all kinds that makes random changes.
private final class RandomTree {
  let root = Node()
  let trace = Trace()
  private let display: Display
  private var generator: SeededGenerator

  init(_ display: Display, _ seed: UInt64) {
    self.display = display
    generator = SeededGenerator(seed: seed)
    root.frame = Rect(x: 0, y: 0, width: 40, height: 40)
    root.load(in: display)
  }

  /// Draws the tree as a window of 60 x 60 points would show it.
  func look() throws -> Bitmap {
    try Bitmap.draw(PixelSize(width: 60, height: 60), from: display.pool) {
      try root.composite(in: $0, at: display.loop.now)
    }
  }

  func change() {
    var nodes: [Node] = []
    root.forEachNode { nodes.append($0) }
    let node = nodes[pick(nodes.count)]
    switch pick(26) {
    case 0...3: add(make(), to: node)
    case 4, 5: add(nodes[pick(nodes.count)], to: node)
    case 6: if node !== root, pick(3) == 0 { node.removeFromSupernode() }
    case 7: node.frame.size.height = Double(pick(60))
    case 8: node.frame.origin.x += 1
    case 9: node.isDetached = pick(4) == 0
    case 10: node.isSuspended = pick(4) == 0
    case 11, 12: node.flatten()
    case 13: node.cancelDisplay()
    case 14: node.waitUntilDisplayed()
    case 15: node.alpha = Double(pick(3)) / 2
    case 16: node.isHidden.toggle()
    case 17: (node as? ImageNode)?.image = pick(4) == 0 ? nil : Self.pictures[pick(3)]
    case 18: (node as? BandedNode)?.viewport = Rect(x: 0, y: Double(pick(40)), width: 9, height: 9)
    case 19: (node as? BandedNode)?.bandHeight = Double(5 + pick(40))
    case 20: node.displaysAsynchronously.toggle()
    case 21: node.priority = OperationPriority(pick(9) - 4)
    case 22: (pick(2) == 0 ? node.layer : nil)?.setNeedsDisplay()
    case 23: node.displayIfNeeded()
    default: display.loop.run(.noWait)
    }
  }

  // Adds a node if that is allowed. Bands cannot be moved out of their node.
  private func add(_ node: Node, to parent: Node) {
    var ancestor: Node? = parent
    var isRasterized = false
    while let each = ancestor {
      if each === node || each.supernode is BandedNode { return }
      if each.rasterizesSubtree { isRasterized = true }
      ancestor = each.supernode
    }
    var rasterizes = false
    node.forEachNode { if $0.rasterizesSubtree { rasterizes = true } }
    if node === root || node.supernode is BandedNode || (isRasterized && rasterizes) { return }
    let others = parent.subnodes.filter { $0 !== node }
    let sibling = others.isEmpty ? nil : others[pick(others.count)]
    switch (pick(5), sibling) {
    case (0, let sibling?): parent.insertSubnode(node, below: sibling)
    case (1, let sibling?): parent.insertSubnode(node, above: sibling)
    case (2, _): parent.insertSubnode(node, at: pick(parent.subnodes.count { $0 !== node } + 1))
    case (3, let sibling?) where pick(3) == 0 && !(parent is BandedNode):
      parent.replaceSubnode(sibling, with: node)
    default: parent.addSubnode(node)
    }
  }

  private func make() -> Node {
    let (x, y) = (Double(pick(20)), Double(pick(20)))
    let frame = Rect(x: x, y: y, width: Double(pick(30)), height: Double(pick(60)))
    let node: Node
    switch pick(5) {
    case 0:
      let image = ImageNode()
      (image.image, image.keepsImage) = (Self.pictures[pick(3)], pick(2) == 0)
      node = image
    case 1: node = Slices()
    case 2:
      let canvas = CanvasNode()
      (canvas.backgroundColor, canvas.backgroundImage) = (.black, Self.pictures[pick(3)])
      node = canvas
    default: node = Block("", frame, [.red, .green, .blue][pick(3)], trace)
    }
    node.frame = frame
    node.rasterizesSubtree = pick(4) == 0
    return node
  }

  private func pick(_ count: Int) -> Int { Int(generator.next() % UInt64(count)) }

  private static let pictures = (0..<3).map {
    ImageSource.data(Pictures.file($0 == 1 ? "jpeg" : "png", 10 + $0, 12))
  }
}

/// A node that draws rows of distinct colours.
private final class Slices: BandedNode {
  override func makeBandDrawing() -> BandDisplay? {
    { context, size, _, _ in
      for y in 0..<60 {
        let color = Color(red: Double(y) / 60, green: 1 - Double(y) / 60, blue: 0.3)
        context.fill(Rect(x: 0, y: Double(y), width: size.width, height: 1), with: color)
      }
    }
  }
}
