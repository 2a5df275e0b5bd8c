import AsyncDisplay
import Foundation
import LoopTransactions
import LoopTransactionsTesting
import Testing

@Suite("Inserting and replacing subnodes")
struct InsertionTests {
  private func nodes(_ count: Int) -> [Block] {
    (0..<count).map { Block("\($0)", Rect(x: 0, y: 0, width: 8, height: 8), .red) }
  }

  private func names(_ node: Node) -> [String] { node.subnodes.map { ($0 as? Block)?.name ?? "" } }

  // D9
  @Test("a node is inserted at an index, below or above another one")
  func positions() {
    let (root, parts) = (Node(), nodes(6))
    root.insertSubnode(parts[0], at: 0)
    root.insertSubnode(parts[1], at: 0)
    root.insertSubnode(parts[2], at: 2)
    #expect(names(root) == ["1", "0", "2"])
    root.insertSubnode(parts[3], below: parts[1])
    root.insertSubnode(parts[4], above: parts[1])
    root.insertSubnode(parts[5], above: parts[2])
    #expect(names(root) == ["3", "1", "4", "0", "2", "5"])
    #expect(parts.allSatisfy { $0.supernode === root })
  }

  // D9
  @Test("a node that is a subnode already moves, and the index counts the others")
  func moves() {
    let (root, parts) = (Node(), nodes(4))
    for part in parts { root.addSubnode(part) }
    root.insertSubnode(parts[0], at: 3)
    #expect(names(root) == ["1", "2", "3", "0"])
    root.insertSubnode(parts[0], at: 3)
    #expect(names(root) == ["1", "2", "3", "0"])
    root.insertSubnode(parts[1], above: parts[3])
    #expect(names(root) == ["2", "3", "1", "0"])
    root.insertSubnode(parts[0], below: parts[2])
    #expect(names(root) == ["0", "2", "3", "1"])
    for index in 0..<4 {
      for part in parts {
        root.insertSubnode(part, at: index)
        #expect(root.subnodes[index] === part)
      }
    }
  }

  // D9
  @Test("a replacement takes the position of the removed node")
  func replaces() {
    let (root, parts) = (Node(), nodes(5))
    for part in parts.prefix(3) { root.addSubnode(part) }
    root.replaceSubnode(parts[1], with: parts[3])
    #expect(names(root) == ["0", "3", "2"])
    #expect(parts[1].supernode == nil)
    root.replaceSubnode(parts[3], with: parts[3])
    #expect(names(root) == ["0", "3", "2"])
    // Another subnode moves.
    root.replaceSubnode(parts[0], with: parts[2])
    #expect(names(root) == ["2", "3"] && parts[0].supernode == nil)
    // A part of the removed node takes its place.
    parts[3].addSubnode(parts[4])
    root.replaceSubnode(parts[3], with: parts[4])
    #expect(names(root) == ["2", "4"] && parts[3].subnodes.isEmpty)
    #expect(root.level == 0 && parts[4].level == 1)
  }

  // D9
  @Test("a node that moves within its tree keeps its contents, and a replaced node is unloaded")
  func keepsContents() throws {
    try withDisplay { display in
      let (root, parts) = (Node(), nodes(3))
      root.frame = Rect(x: 0, y: 0, width: 8, height: 8)
      for part in parts.prefix(2) { root.addSubnode(part) }
      root.load(in: display)
      root.waitUntilDisplayed()
      let (layer, begun) = (parts[1].layer, display.metrics.begun)
      root.insertSubnode(parts[1], below: parts[0])
      #expect(parts[1].layer === layer && layer?.contents != nil)
      #expect(parts[1].layer?.needsDisplay == false)
      root.replaceSubnode(parts[0], with: parts[2])
      #expect(!parts[0].isLoaded && parts[2].isLoaded && parts[2].layer?.needsDisplay == true)
      root.waitUntilDisplayed()
      #expect(display.metrics.begun <= begun + 3)
      #expect(layer?.contents != nil && parts[2].layer?.contents != nil)
    }
  }

  // D9
  @Test("inserting into a picture redraws it, in the new order")
  func redraws() throws {
    try withDisplay { display in
      let frame = Rect(x: 0, y: 0, width: 8, height: 8)
      let (root, red, blue) = (Node(), Block("", frame, .red), Block("", frame, .blue))
      (root.frame, root.rasterizesSubtree) = (frame, true)
      root.addSubnode(red)
      root.load(in: display)
      root.waitUntilDisplayed()
      root.insertSubnode(blue, at: 0)
      root.waitUntilDisplayed()
      var pixel = try root.look(at: 4, 4)
      #expect(pixel == 0xFFFF_0000)
      root.insertSubnode(blue, above: red)
      root.waitUntilDisplayed()
      pixel = try root.look(at: 4, 4)
      #expect(pixel == 0xFF00_00FF)
    }
  }

  // D9, D11
  @Test("inserting behind flattened nodes separates them")
  func unflattens() throws {
    try withDisplay { display in
      let (root, parts) = (Node(), nodes(4))
      root.frame = Rect(x: 0, y: 0, width: 8, height: 8)
      for part in parts.prefix(3) { root.addSubnode(part) }
      root.load(in: display)
      #expect(display.settle())
      #expect(root.flatten())
      #expect(display.settle())
      #expect(root.isFlattened)
      root.insertSubnode(parts[3], at: 1)
      #expect(!root.isFlattened)
      #expect(display.settle())
      #expect(parts.allSatisfy { $0.layer?.contents != nil })
    }
  }

  // D9, D13
  @Test("the bands of a banded node stay behind all other subnodes")
  func behindBands() throws {
    try withDisplay { display in
      let node = Rows()
      node.frame = Rect(x: 0, y: 0, width: 8, height: 8)
      node.load(in: display)
      let bands = node.subnodes.count
      #expect(bands > 0)
      let parts = nodes(2)
      node.insertSubnode(parts[0], at: 0)
      node.insertSubnode(parts[1], at: 0)
      #expect(node.subnodes[bands] === parts[1] && node.subnodes[bands + 1] === parts[0])
      node.unload()
    }
  }

  // D9, D14
  @Test(
    "after random insertions a tree has the order of a model, and looks like one built in it",
    arguments: 0..<24
  )
  func model(_ seed: UInt64) throws {
    for rasterizes in [true, false] {
      try withDisplay { display in
        let model = InsertionModel(display, seed, rasterizes)
        for _ in 0..<120 { model.change() }
        #expect(model.isEqual)
        let isFinished = display.settle()
        let shown = try model.root.look()
        let built = try model.builtAgain().look()
        #expect(isFinished && shown.hasSamePixels(as: built))
        #expect(model.areRemovedUnloaded)
      }
    }
  }

  enum Misuse: String, CaseIterable, Codable, Sendable {
    case itself = "Node.insertSubnode: a node must not be added to itself or to a part of it"
    case descendant = "Node.insertSubnode: a node must not be added to itself or to a part of it; "
    case replaceByAncestor =
      "Node.replaceSubnode: a node must not be added to itself or to a part of it; remove the part"
    case belowStranger =
      "Node.insertSubnode: the node above or below which to insert must be a subnode of this node;"
    case aboveStranger =
      "Node.insertSubnode: the node above or below which to insert must be a subnode of this node"
    case belowItself = "Node.insertSubnode: a node must not be inserted above or below itself"
    case replaceStranger =
      "Node.replaceSubnode: the node to replace must be a subnode of this node; add it first"
    case indexTooHigh = "Node.insertSubnode: the index must be from 0 to 1, got 2"
    case indexTooHighOfOwn = "Node.insertSubnode: the index must be from 0 to 0, got 1"
    case indexNegative = "Node.insertSubnode: the index must be from 0 to 1, got -1"
    case offLoop = "Node.insertSubnode"

    func make() throws {
      let (root, part, inner) = (Node(), Node(), Node())
      root.addSubnode(part)
      part.addSubnode(inner)
      switch self {
      case .itself: part.insertSubnode(part, at: 0)
      case .descendant: inner.insertSubnode(root, at: 0)
      case .replaceByAncestor: part.replaceSubnode(inner, with: root)
      case .belowStranger: root.insertSubnode(Node(), below: inner)
      case .aboveStranger: root.insertSubnode(Node(), above: Node())
      case .belowItself: root.insertSubnode(part, below: part)
      case .replaceStranger: root.replaceSubnode(inner, with: Node())
      case .indexTooHigh: root.insertSubnode(Node(), at: 2)
      case .indexTooHighOfOwn: root.insertSubnode(part, at: 1)
      case .indexNegative: root.insertSubnode(Node(), at: -1)
      case .offLoop:
        let loop = try EventLoop()
        root.load(in: Display(on: loop))
        let handed = Handed(root)
        let thread = Thread { handed.value?.insertSubnode(Node(), at: 0) }
        thread.start()
        while !thread.isFinished {}
        withExtendedLifetime(root) {}
      }
    }
  }

  // D9
  @Test("a call that is not allowed traps with a message", arguments: Misuse.allCases)
  func traps(misuse: Misuse) async {
    let result = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) { [misuse] in
      try misuse.make()
      exit(EXIT_SUCCESS)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains(misuse.rawValue), "\(text)")
  }
}

/// A node that draws one colour in bands.
private final class Rows: BandedNode {
  override func makeBandDrawing() -> BandDisplay? {
    { context, size, _, _ in context.fill(Rect(size: size), with: .green) }
  }
}

/// Random insertions into a tree and into arrays of names.
private final class InsertionModel {
  let root: Block
  private let display: Display
  private var generator: SeededGenerator
  private var parents: [Block]
  private var parts: [Block]
  // The names of each parent's subnodes, from back to front.
  private var orders: [[String]]

  init(_ display: Display, _ seed: UInt64, _ rasterizes: Bool) {
    self.display = display
    generator = SeededGenerator(seed: seed)
    (root, parents, parts) = Self.make(rasterizes)
    orders = [["p0", "p1"], [], []]
    root.load(in: display)
  }

  // A root with two parents, and ten parts that belong to no tree yet.
  private static func make(_ rasterizes: Bool) -> (Block, [Block], [Block]) {
    let root = Block("root", Rect(x: 0, y: 0, width: 24, height: 24), .black)
    root.rasterizesSubtree = rasterizes
    let parents = (0..<2).map { index in
      let at = Double(4 * index)
      return Block("p\(index)", Rect(x: at, y: at, width: 18, height: 18), .red)
    }
    for parent in parents { root.addSubnode(parent) }
    let parts = (0..<10).map { index in
      let (x, y) = (Double(index % 4) * 3, Double(index / 4) * 3)
      let color = Color(red: Double(index) / 10, green: 0.5, blue: 1 - Double(index) / 10)
      let part = Block("\(index)", Rect(x: x, y: y, width: 8, height: 8), color)
      part.alpha = index % 2 == 0 ? 1 : 0.5
      return part
    }
    return (root, [root] + parents, parts)
  }

  func change() {
    let (index, part) = (pick(3), parts[pick(10)])
    let parent = parents[index]
    let others = orders[index].filter { $0 != part.name }
    let place = pick(others.count + 1)
    let sibling = others.isEmpty ? nil : others[pick(others.count)]
    switch (pick(8), sibling) {
    case (0, _):
      parent.addSubnode(part)
      insert(part, index, others.count)
    case (1, _), (2, _):
      parent.insertSubnode(part, at: place)
      insert(part, index, place)
    case (3, let sibling?):
      parent.insertSubnode(part, below: node(sibling))
      insert(part, index, others.firstIndex(of: sibling) ?? 0)
    case (4, let sibling?):
      parent.insertSubnode(part, above: node(sibling))
      insert(part, index, (others.firstIndex(of: sibling) ?? 0) + 1)
    case (5, let sibling?) where !sibling.hasPrefix("p"):
      parent.replaceSubnode(node(sibling), with: part)
      insert(part, index, others.firstIndex(of: sibling) ?? 0)
      orders[index].removeAll { $0 == sibling }
    case (6, _):
      part.removeFromSupernode()
      for index in orders.indices { orders[index].removeAll { $0 == part.name } }
    default: display.loop.run(.noWait)
    }
  }

  /// Whether the tree has the order of the model.
  var isEqual: Bool {
    zip(parents, orders).allSatisfy { parent, order in
      parent.subnodes.map { ($0 as? Block)?.name } == order
    }
  }

  /// Whether exactly the nodes in the tree are loaded.
  var areRemovedUnloaded: Bool {
    let names = Set(orders.joined())
    return parts.allSatisfy { $0.isLoaded == names.contains($0.name) }
  }

  /// Builds another tree in the order of the model, and displays it.
  func builtAgain() -> Node {
    let (root, parents, parts) = Self.make(self.root.rasterizesSubtree)
    for name in orders[0] { root.addSubnode(Self.find(name, in: parents + parts)) }
    for index in 1...2 {
      for name in orders[index] { parents[index].addSubnode(Self.find(name, in: parts)) }
    }
    root.load(in: display)
    root.waitUntilDisplayed()
    return root
  }

  private func insert(_ part: Block, _ parent: Int, _ place: Int) {
    for index in orders.indices { orders[index].removeAll { $0 == part.name } }
    orders[parent].insert(part.name, at: place)
  }

  private func node(_ name: String) -> Block { Self.find(name, in: parents + parts) }

  private static func find(_ name: String, in nodes: [Block]) -> Block {
    nodes.first { $0.name == name } ?? nodes[0]
  }

  private func pick(_ count: Int) -> Int { Int(generator.next() % UInt64(count)) }
}
