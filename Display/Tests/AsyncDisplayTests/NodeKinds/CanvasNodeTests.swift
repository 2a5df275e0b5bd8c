import AsyncDisplay
import LoopTransactions
import LoopTransactionsTesting
import Testing

private let red: UInt32 = 0xFFFF_0000
private let green: UInt32 = 0xFF00_FF00
private let blue: UInt32 = 0xFF00_00FF
private let black: UInt32 = 0xFF00_0000

@Suite("CanvasNode")
struct CanvasNodeTests {
  private func canvas(_ size: Double = 40) -> Filled {
    let node = Filled()
    node.frame = Rect(x: 3, y: 3, width: size, height: size)
    node.backgroundColor = .green
    return node
  }

  private func picture(of node: Node, in display: Display, scale: Double = 1) throws -> Bitmap {
    if !node.isLoaded { node.load(in: display, scale: scale) }
    node.waitUntilDisplayed()
    return try #require(node.layer?.contents)
  }

  // D10
  @Test("a canvas is filled and bordered, and its corners clip both the canvas and its drawing")
  func shape() throws {
    try withDisplay { display in
      let node = canvas()
      node.cornerRadius = 10
      node.border = Border(width: 4, color: .blue)
      let bitmap = try picture(of: node, in: display)
      #expect(bitmap.pixel(0, 0) == 0 && bitmap.pixel(39, 39) == 0)
      #expect(bitmap.pixel(20, 1) == blue && bitmap.pixel(1, 20) == blue)
      #expect(bitmap.pixel(20, 3) == blue && bitmap.pixel(20, 4) == green)
      node.color = .red
      let filled = try picture(of: node, in: display)
      #expect(filled.pixel(0, 0) == 0 && filled.pixel(20, 1) == red && filled.pixel(20, 20) == red)
    }
  }

  @Test("a border has its width in points at every scale", arguments: [1.0, 2, 3])
  func borderWidth(_ scale: Double) throws {
    try withDisplay { display in
      let node = canvas()
      node.border = Border(width: 2, color: .blue)
      let bitmap = try picture(of: node, in: display, scale: scale)
      let middle = Int(20 * scale)
      let wide = (0..<middle).count { bitmap.pixel($0, middle) == blue }
      #expect(wide == Int(2 * scale))
    }
  }

  @Test("the shadow is cast by the canvas alone, stays outside it, and affects no other drawing")
  func shadow() throws {
    try withDisplay { display in
      let node = canvas()
      node.shadow = CanvasNode.Shadow(offset: Point(x: 6, y: 4), color: .black)
      node.clipsToBounds = true
      node.cornerRadius = 0
      node.color = .red
      node.inset = 10
      #expect(node.contentRect == Rect(x: 0, y: 0, width: 34, height: 36))
      let bitmap = try picture(of: node, in: display)
      #expect(bitmap.pixel(33, 35) == green && bitmap.pixel(0, 0) == green)
      #expect(bitmap.pixel(34, 20) == black && bitmap.pixel(39, 39) == black)
      #expect(bitmap.pixel(34, 3) == 0 && bitmap.pixel(5, 36) == 0)
      // The canvas's drawing casts no shadow.
      #expect(bitmap.pixel(23, 25) == red && bitmap.pixel(24, 26) == green)
      #expect(bitmap.pixel(25, 27) == green)
      // Rounded corners clip the drawing but not the shadow.
      node.cornerRadius = 12
      node.inset = 0
      let round = try picture(of: node, in: display)
      #expect(round.pixel(0, 0) == 0 && round.pixel(33, 35) == black && round.pixel(20, 20) == red)
    }
  }

  @Test("a blurred shadow fades out within the node's bounds")
  func blurredShadow() throws {
    try withDisplay { display in
      let node = canvas(60)
      node.shadow = CanvasNode.Shadow(offset: Point(x: 0, y: 2), blur: 4, color: .black)
      #expect(node.contentRect == Rect(x: 12, y: 10, width: 36, height: 36))
      let bitmap = try picture(of: node, in: display, scale: 2)
      let column = (0..<120).map { bitmap.pixel(60, $0) >> 24 }
      #expect(column[0] == 0 && column[119] <= 2)
      let below = column[92...]
      #expect(below.first.map { 60...200 ~= $0 } == true)
      #expect(zip(below, below.dropFirst()).allSatisfy { $0 >= $1 })
    }
  }

  // D10
  @Test("a background image is decoded off the loop, fills the canvas, and delays the display")
  func backgroundImage() throws {
    try withDisplay { display in
      let node = canvas()
      node.shadow = CanvasNode.Shadow(offset: Point(x: 8, y: 0), color: .black)
      node.backgroundMode = .scale
      node.backgroundImage = .data(Pictures.file("png", 32, 40))
      node.load(in: display)
      #expect(node.layer?.contents == nil && !node.isPrepared)
      let isFinished = display.settle()
      #expect(isFinished && display.metrics.displayed == 1)
      let bitmap = try #require(node.layer?.contents)
      #expect(bitmap.pixel(31, 39) == 0xFFFF_FF00 && bitmap.pixel(0, 39) == green)
      #expect(bitmap.pixel(32, 20) == black)
      node.backgroundImage = .data([1, 2, 3])
      let plain = try picture(of: node, in: display)
      #expect(plain.pixel(31, 39) == green)
    }
  }

  // In Graver, setting the corner radius, border or shadow did not request a
  // display.
  @Test("changing any visible property redraws the canvas, and setting an equal value does not")
  func invalidation() throws {
    try withDisplay { display in
      let node = canvas()
      _ = try picture(of: node, in: display)
      let changes: [() -> Void] = [
        { node.border = Border(width: 1, color: .red) }, { node.cornerRadius = 3 },
        { node.shadow = CanvasNode.Shadow(offset: .zero, blur: 1, color: .black) },
        { node.backgroundImage = .data(Pictures.file("png", 2, 2)) },
        { node.backgroundMode = .center }, { node.backgroundColor = .red },
      ]
      for (index, change) in changes.enumerated() {
        change()
        #expect(node.layer?.needsDisplay == true, "change \(index)")
        node.waitUntilDisplayed()
        change()
        #expect(node.layer?.needsDisplay == false, "change \(index) twice")
      }
      node.frame.origin.x += 10
      #expect(node.layer?.needsDisplay == false)
    }
  }

  // D9, D14
  @Test("a rasterized canvas and a canvas with its own layer look the same")
  func composed() throws {
    try withDisplay { display in
      let pictures = try [true, false].map { isRasterized in
        let root = Node()
        root.frame = Rect(x: 0, y: 0, width: 60, height: 60)
        root.rasterizesSubtree = isRasterized
        let node = canvas()
        node.border = Border(width: 3, color: .blue)
        node.shadow = CanvasNode.Shadow(offset: Point(x: 4, y: 4), color: .black)
        node.cornerRadius = 8
        let part = Block("part", Rect(x: 0, y: 0, width: 40, height: 10), .red)
        node.addSubnode(part)
        root.addSubnode(node)
        root.load(in: display)
        root.waitUntilDisplayed()
        return try root.look()
      }
      #expect(pictures[0].pixel(20, 5) == red && pictures[0].pixel(41, 5) != red)
      #expect(pictures[0].pixel(41, 25) == black && pictures[0].pixel(3, 3) == 0)
      let isSame = pictures[0].hasSamePixels(as: pictures[1])
      #expect(isSame)
    }
  }

  @Test("drawing the background image and the shadow can be cancelled every 32 rows")
  func polls() throws {
    try withDisplay { display in
      // In the drawing of a node, only its three steps poll.
      func asked(_ change: (Filled) -> Void) throws -> Int {
        let node = canvas()
        node.frame.size = Size(width: 8, height: 320)
        change(node)
        node.load(in: display)
        node.waitUntilDisplayed()
        let layer = try #require(node.layer)
        let drawing = try #require(node.displayTask(for: layer)?.display)
        var count = 0
        _ = try Bitmap.draw(PixelSize(width: 8, height: 320), from: display.pool) { context in
          try drawing(context, layer.size) {
            count += 1
            return false
          }
        }
        return count
      }
      let plain = try asked { _ in }
      let pictured = try asked { $0.backgroundImage = .data(Pictures.file("png", 8, 8)) }
      #expect(pictured == plain + 10)
      // Polled when the memory of the blurred bitmap is cleared, by the blur,
      // and for each band of the result.
      let blurred = try asked {
        $0.shadow = CanvasNode.Shadow(offset: .zero, blur: 1, color: .black)
      }
      let blurOnly = try blurPolls(of: PixelSize(width: 8, height: 320), from: display.pool)
      #expect(blurred == plain + 1 + blurOnly + 10)
    }
  }

  private func blurPolls(of pixels: PixelSize, from pool: BitmapPool) throws -> Int {
    var count = 0
    let bitmap = try Bitmap.draw(pixels, from: pool) { _ in }
    _ = try BlurFilter(radius: 1).apply(to: bitmap, from: pool) {
      count += 1
      return false
    }
    return count
  }

  @Test("extreme borders, shadows, corners and sizes have a defined result")
  func odd() throws {
    try withDisplay { display in
      for value in [Double.nan, .infinity, -.infinity, -3, 0, 1e6] {
        let node = canvas()
        node.border = Border(width: value, color: .blue)
        node.cornerRadius = value
        node.shadow = CanvasNode.Shadow(
          offset: Point(x: value, y: 0),
          blur: abs(value) > 100 ? 1 : value,
          color: .black
        )
        node.load(in: display)
        node.waitUntilDisplayed()
        #expect(display.metrics.begun == display.metrics.displayed, "\(value)")
        #expect(node.layer?.contents != nil, "\(value)")
        node.unload()
      }
      #expect(display.metrics.failed == 0)
    }
  }
}

/// A canvas that fills its content area with a colour, except a margin of
/// `inset`.
private final class Filled: CanvasNode {
  var color: Color? { didSet { setNeedsDisplay() } }
  var inset = 0.0 { didSet { setNeedsDisplay() } }

  override func makeDrawing() -> DisplayTask.Display? {
    guard let color else { return nil }
    return { [inset] context, size, _ in
      let (width, height) = (size.width - 2 * inset, size.height - 2 * inset)
      context.fill(Rect(x: inset, y: inset, width: width, height: height), with: color)
    }
  }
}
