@testable import AsyncDisplay
import LoopTransactions
import LoopTransactionsTesting
import Testing

@Suite("BandedNode")
struct BandedNodeTests {
  private func makeNode(_ height: Double, _ trace: Trace = Trace()) -> Ruler {
    let node = Ruler(trace)
    node.frame = Rect(x: 0, y: 0, width: 10, height: height)
    node.bandHeight = 100
    return node
  }

  // D13, D14
  @Test(
    "all bands together equal a single bitmap byte for byte at every scale",
    arguments: [1.0, 1.3, 2]
  )
  func sameBytes(_ scale: Double) throws {
    try withDisplay { display in
      let pictures = try [100.0, 5000].map { height in
        let node = makeNode(950)
        node.bandHeight = height
        node.backgroundColor = Color(red: 0.2, green: 0.4, blue: 0.6, alpha: 0.5)
        node.load(in: display, scale: scale)
        #expect(node.subnodes.count == (height == 100 ? 10 : 1))
        node.waitUntilDisplayed()
        return try node.look()
      }
      let isSame = pictures[0].hasSamePixels(as: pictures[1])
      #expect(isSame && pictures[0].pixel(5, 5) != 0)
    }
  }

  // D13
  @Test("bands nearest to the viewport are drawn first, above and below it; distant bands are not")
  func nearestFirst() throws {
    try withDisplay(workers: 1) { display in
      let trace = Trace()
      let node = makeNode(10_000, trace)
      let gate = Gate()
      display.scheduler.add(priority: .interactive) { _ in gate.wait() }
      node.margin = 2
      node.viewport = Rect(x: 0, y: 5000, width: 10, height: 200)
      node.load(in: display)
      display.loop.run(.noWait)
      #expect(node.subnodes.count == 10)
      let levels = Dictionary(
        uniqueKeysWithValues: node.subnodes.map {
          (Int($0.frame.origin.y / 100), $0.priority.rawValue)
        }
      )
      #expect(levels.keys.sorted() == Array(46..<56))
      #expect(levels[50] == 0 && levels[51] == 0 && levels[52] == 0 && levels[53] == -4)
      #expect(levels[46] == -12 && levels[55] == -12)
      gate.open()
      let isFinished = display.settle()
      #expect(isFinished)
      let drawn = trace.events.compactMap { Int($0) }
      #expect(drawn.count == 10)
      // The aging slot sometimes picks the oldest operation. Its first pick is
      // the band at 4,600.
      let near = drawn.lastIndex { 5000...5200 ~= $0 } ?? 10
      let far = drawn.firstIndex { $0 >= 5400 } ?? 0
      #expect(near < far, "\(drawn)")
    }
  }

  // D13, D12
  @Test("scrolling draws new bands, drops bands that leave, and draws no band twice")
  func scrolls() throws {
    try withDisplay { display in
      let trace = Trace()
      // The node is taller than the largest bitmap.
      let node = makeNode(100_000, trace)
      node.viewport = Rect(x: 0, y: 0, width: 10, height: 300)
      node.load(in: display)
      for top in stride(from: 0.0, through: 3000, by: 100) {
        node.viewport?.origin.y = top
        let isFinished = display.settle()
        #expect(isFinished && node.subnodes.count <= 9)
        #expect(display.pool.metrics.lent == node.subnodes.count)
      }
      let drawn = trace.events
      #expect(drawn.count == 36 && Set(drawn).count == 36)
      #expect(display.metrics.failed == 0 && node.hasDisplayedHierarchy)
      node.viewport?.origin.y = 90_000
      let isFinished = display.settle()
      #expect(isFinished && display.pool.metrics.lent == 9)
    }
  }

  // D9, D14
  @Test("a rasterized banded node has no bands and looks the same", arguments: [true, false])
  func rasterized(_ isOwn: Bool) throws {
    try withDisplay { display in
      let pictures = try [true, false].map { isRasterized in
        let root = Node()
        root.frame = Rect(x: 0, y: 0, width: 20, height: 400)
        let node = makeNode(350)
        node.backgroundColor = Color(red: 0.2, green: 0.4, blue: 0.6, alpha: 0.5)
        (isOwn ? node : root).rasterizesSubtree = isRasterized
        root.addSubnode(node)
        root.load(in: display)
        #expect(node.subnodes.count == (isRasterized ? 0 : 4))
        root.priority = .high
        root.waitUntilDisplayed()
        node.setNeedsContent()
        #expect(root.layers.contains { $0.needsDisplay })
        root.waitUntilDisplayed()
        defer { root.unload() }
        return try root.look()
      }
      let isSame = pictures[0].hasSamePixels(as: pictures[1])
      #expect(isSame && pictures[0].pixel(5, 5) != 0)
    }
  }

  @Test("existing bands are removed when their node moves into a rasterizing node")
  func moved() throws {
    try withDisplay { display in
      let node = makeNode(350)
      node.load(in: display)
      #expect(node.subnodes.count == 4)
      node.unload()
      let root = Node()
      root.frame = node.frame
      root.rasterizesSubtree = true
      root.addSubnode(node)
      root.load(in: display)
      root.waitUntilDisplayed()
      #expect(node.subnodes.isEmpty)
      let pixel = try root.look(at: 5, 1)
      #expect(pixel != 0)
    }
  }

  // D6
  @Test("a display with an invalid scale fails", arguments: [0, -1, .nan, .infinity])
  func oddScale(_ scale: Double) throws {
    try withDisplay { display in
      let node = makeNode(250)
      node.load(in: display, scale: scale)
      #expect(node.subnodes.count == 3)
      let isFinished = display.settle()
      #expect(isFinished && display.metrics.failed >= 3 && display.metrics.displayed == 0)
    }
  }

  @Test("the number of bands is limited, and bands at the start of the viewport are kept")
  func mostBands() throws {
    try withDisplay { display in
      let node = makeNode(1e6)
      node.bandHeight = 1
      node.load(in: display)
      #expect(node.subnodes.count == BandedNode.mostBands)
      #expect(node.subnodes.map(\.frame.origin.y).min() == 0)
      node.margin = 1e6
      node.viewport = Rect(x: 0, y: 500_000, width: 10, height: 100)
      #expect(node.subnodes.count == BandedNode.mostBands)
      let shown = Set(node.subnodes.map(\.frame.origin.y))
      #expect((0..<100).allSatisfy { shown.contains(500_000 + Double($0)) })
      node.viewport = Rect(x: 0, y: 999_990, width: 10, height: 10)
      #expect(node.subnodes.map(\.frame.maxY).max() == 1e6)
    }
  }

  // D13, D5
  @Test("bands that move show only contents drawn for their new position")
  func bandHeight() throws {
    try withDisplay { display in
      let node = makeNode(300)
      node.bandHeight = 200
      node.load(in: display)
      node.waitUntilDisplayed()
      let before = try node.look()
      node.bandHeight = 100
      node.layOutIfNeeded()
      let moved = try #require(node.subnodes.first { $0.frame.origin.y == 100 })
      #expect(moved.layer?.contents == nil)
      let isFinished = display.settle()
      let isSame = try node.look().hasSamePixels(as: before)
      #expect(isFinished && isSame && node.subnodes.count == 3)
    }
  }

  @Test("a change redraws all bands, and a part of another kind stays in front")
  func changes() throws {
    try withDisplay { display in
      let trace = Trace()
      let node = makeNode(300, trace)
      let part = Block("part", Rect(x: 0, y: 0, width: 10, height: 10), .red)
      node.addSubnode(part)
      node.load(in: display)
      node.waitUntilDisplayed()
      #expect(trace.take().count == 3)
      let pixel = try node.look(at: 5, 5)
      #expect(pixel == 0xFFFF_0000)
      node.setNeedsContent()
      node.waitUntilDisplayed()
      #expect(trace.take().count == 3)
      node.backgroundColor = .blue
      node.waitUntilDisplayed()
      #expect(trace.take().count == 3)
      // The drawing of a band may depend on the node's size.
      node.frame.size.height = 450
      let isResized = display.settle()
      #expect(isResized && trace.take().count == 5 && node.subnodes.count == 6)
      let last = try node.look(at: 5, 5)
      #expect(last == 0xFFFF_0000 && node.subnodes.last === part)
      node.priority = .high
      #expect(node.subnodes.prefix(5).map { $0.priority.rawValue }.max() == 64)
      for viewport in [
        Rect(x: 0, y: .nan, width: 1, height: 1), Rect(x: 0, y: -1e9, width: 1, height: 1),
        Rect(x: 0, y: 1e300, width: 1, height: 1), Rect(x: 0, y: 0, width: 1, height: 1e300),
      ] {
        node.viewport = viewport
        let isFinished = display.settle()
        #expect(isFinished && node.subnodes.count <= 6)
      }
    }
  }
}

/// A node that draws a line every 7 points, each line in its own colour.
private final class Ruler: BandedNode {
  private let trace: Trace

  init(_ trace: Trace) {
    self.trace = trace
    super.init()
  }

  override func makeBandDrawing() -> BandDisplay? {
    { [trace] context, size, band, _ in
      trace.record("\(Int(band.origin.y))")
      for y in stride(from: 0, to: size.height, by: 7) where y < band.maxY && y + 4 > band.origin.y
      {
        let color = Color(red: y.truncatingRemainder(dividingBy: 100) / 100, green: 0.5, blue: 0)
        context.fill(Rect(x: 0, y: y, width: size.width, height: 3.5), with: color)
      }
    }
  }
}
