import AsyncDisplay
import Foundation
import LoopTransactions
import Testing

@Suite("Deep trees")
struct DeepTreeTests {
  private func leaf() -> Node {
    let node = Node()
    node.frame = Rect(x: 0, y: 0, width: 4, height: 4)
    return node
  }

  // Returns the root and the leaf of a chain of `count` nodes.
  private func chain(_ count: Int, downwards: Bool = true) -> (root: Node, leaf: Node) {
    var (root, last) = (leaf(), Node?.none)
    let first = root
    for _ in 1..<count {
      let node = leaf()
      if downwards {
        (last ?? root).addSubnode(node)
        last = node
      } else {
        node.addSubnode(root)
        root = node
      }
    }
    return downwards ? (root, last ?? root) : (root, first)
  }

  // D9
  @Test(
    "a tree of 256 levels can be built in both directions, shown, hit-tested and released",
    arguments: [true, false]
  )
  func deepest(_ downwards: Bool) throws {
    for rasterizes in [false, true] {
      try withDisplay { display in
        let (root, leaf) = chain(Node.deepestTree, downwards: downwards)
        #expect(leaf.level == 255 && root.level == 0)
        leaf.backgroundColor = .blue
        root.rasterizesSubtree = rasterizes
        root.load(in: display)
        let isFinished = display.settle()
        #expect(isFinished && root.hasDisplayedHierarchy)
        let picture = try Bitmap.draw(PixelSize(width: 4, height: 4), from: display.pool) {
          try root.composite(in: $0, at: display.loop.now)
        }
        #expect(picture.firstPixel == 0xFF00_00FF)
        #expect(root.hitTest(.zero) == nil)
        root.unload()
      }
    }
  }

  // The message distinguishes the trap from a stack overflow.
  private func expectTooDeep(_ result: ExitTest.Result?) {
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("a tree must have no more than 256 levels, got 257"))
  }

  // D9
  @Test("adding a 257th level traps, regardless of the part that is added last")
  func tooDeep() async {
    let downwards = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      // The root retains all other nodes of the chain.
      let root = Node()
      var node = root
      for _ in 0..<256 {
        let next = Node()
        node.addSubnode(next)
        node = next
      }
      withExtendedLifetime(root) { exit(EXIT_SUCCESS) }
    }
    expectTooDeep(downwards)
    let upwards = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      var node = Node()
      for _ in 0..<256 {
        let next = Node()
        next.addSubnode(node)
        node = next
      }
      exit(EXIT_SUCCESS)
    }
    expectTooDeep(upwards)
    await #expect(processExitsWith: .success) {
      var node = Node()
      for _ in 0..<255 {
        let next = Node()
        next.addSubnode(node)
        node = next
      }
      exit(EXIT_SUCCESS)
    }
  }

  // D9
  @Test("removed levels no longer count, and levels of siblings still count")
  func removed() async {
    await #expect(processExitsWith: .success) {
      let (root, middle) = (Node(), Node())
      root.addSubnode(middle)
      root.addSubnode(Node())
      var chains: [Node] = []
      for _ in 0..<2 {
        let top = Node()
        var node = top
        for _ in 0..<200 {
          let next = Node()
          node.addSubnode(next)
          node = next
        }
        chains.append(top)
      }
      middle.addSubnode(chains[0])
      chains[0].removeFromSupernode()
      // There are 54 levels above the second chain.
      middle.addSubnode(chains[1])
      var top = root
      for _ in 0..<53 {
        let next = Node()
        next.addSubnode(top)
        top = next
      }
      chains[1].removeFromSupernode()
      for _ in 0..<200 {
        let next = Node()
        next.addSubnode(top)
        top = next
      }
      exit(EXIT_SUCCESS)
    }
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      // Two chains of 129 levels are below one root. One chain is removed, and
      // the other chain still counts.
      let root = Node()
      var chains: [Node] = []
      for _ in 0..<2 {
        let top = Node()
        var node = top
        for _ in 1..<129 {
          let next = Node()
          node.addSubnode(next)
          node = next
        }
        root.addSubnode(top)
        chains.append(top)
      }
      chains[1].removeFromSupernode()
      var top = root
      for _ in 0..<127 {
        let next = Node()
        next.addSubnode(top)
        top = next
      }
      exit(EXIT_SUCCESS)
    }
    expectTooDeep(result)
  }

  // D9
  @Test("nested rasterizing is detected wherever nodes are added and removed")
  func rasterizing() async {
    await #expect(processExitsWith: .success) {
      let (outer, middle, inner) = (Node(), Node(), Node())
      outer.rasterizesSubtree = true
      middle.addSubnode(inner)
      inner.rasterizesSubtree = true
      inner.rasterizesSubtree = false
      outer.addSubnode(middle)
      middle.removeFromSupernode()
      inner.rasterizesSubtree = true
      inner.removeFromSupernode()
      outer.addSubnode(middle)
      exit(EXIT_SUCCESS)
    }
    await #expect(processExitsWith: .failure) {
      let (outer, middle, inner) = (Node(), Node(), Node())
      outer.rasterizesSubtree = true
      inner.rasterizesSubtree = true
      middle.addSubnode(inner)
      outer.addSubnode(middle)
      exit(EXIT_SUCCESS)
    }
  }

  // D9
  @Test("100,000 siblings can be added and removed at both ends")
  func siblings() {
    let root = leaf()
    for _ in 0..<100_000 { root.addSubnode(leaf()) }
    #expect(root.subnodes.count == 100_000 && root.hitTest(.zero) == nil)
    for _ in 0..<1000 {
      root.subnodes.first?.removeFromSupernode()
      root.subnodes.last?.removeFromSupernode()
    }
    #expect(root.subnodes.count == 98_000)
  }
}
