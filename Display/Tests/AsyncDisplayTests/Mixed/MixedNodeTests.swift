import AsyncDisplay
import LoopTransactions
import LoopTransactionsTesting
import Testing

private let plain = TextAttributes(font: Font("DejaVu Sans", size: 16))
private let red: UInt32 = 0xFFFF_0000
private let blue: UInt32 = 0xFF00_00FF

@Suite("MixedNode")
struct MixedNodeTests {
  private func picture(of node: MixedNode, in display: Display) throws -> Bitmap {
    if !node.isLoaded { node.load(in: display) }
    node.waitUntilDisplayed()
    return try #require(node.layer?.contents)
  }

  private func makeNode(_ width: Double = 200, _ height: Double = 100) -> MixedNode {
    let node = MixedNode()
    node.frame = Rect(x: 0, y: 0, width: width, height: height)
    return node
  }

  /// Returns a picture of one colour with 4 x 4 pixels.
  private func square(_ color: Color, _ pool: BitmapPool) throws -> ImageSource {
    .bitmap(
      try Bitmap.draw(PixelSize(width: 4, height: 4), from: pool) { $0.fill(with: color) }
    )
  }

  private func places(of color: UInt32, in bitmap: Bitmap) -> Rect? {
    var rect: (left: Int, top: Int, right: Int, bottom: Int)?
    for y in 0..<bitmap.pixels.height {
      for x in 0..<bitmap.pixels.width where bitmap.pixel(x, y) == color {
        guard let old = rect else {
          rect = (x, y, x, y)
          continue
        }
        rect = (min(old.left, x), old.top, max(old.right, x), y)
      }
    }
    return rect.map { each in
      Rect(
        x: Double(each.left),
        y: Double(each.top),
        width: Double(each.right - each.left + 1),
        height: Double(each.bottom - each.top + 1)
      )
    }
  }

  // D10
  @Test("inline images flow like letters, with the size they declare")
  func flow() throws {
    try withDisplay { display in
      let node = makeNode()
      let size = Size(width: 20, height: 30)
      node.content.append("AB", plain)
      node.content.append(InlineImage(try square(.red, display.pool), size: size, descent: 5))
      node.content.append("CD", plain)
      node.content.append(InlineImage(try square(.blue, display.pool), size: size))
      let bitmap = try picture(of: node, in: display)
      let one = try #require(places(of: red, in: bitmap))
      let two = try #require(places(of: blue, in: bitmap))
      // The image is as large as its declared size allows, and centred.
      #expect(abs(one.size.width - 20) <= 1 && abs(one.size.height - 20) <= 1)
      let width = AttributedText("AB", plain).measure(TextStyle(), in: node.frame.size).size.width
      #expect(abs(one.origin.x - width) <= 1, "\(one) \(width)")
      #expect(two.origin.x > one.maxX + 15)
      #expect(one.origin.y - two.origin.y == 5)
      // The line is as high as its highest element.
      #expect(node.measure(in: node.frame.size).size.height >= 35)
      #expect(node.measure(in: node.frame.size).lineCount == 1)
      let narrow = node.measure(in: Size(width: 70, height: .infinity))
      #expect(narrow.lineCount == 2 && narrow.size.width <= 70)
    }
  }

  // D10
  @Test("images on lines that do not fit are omitted with the lines", arguments: [true, false])
  func truncation(_ isTruncated: Bool) throws {
    try withDisplay { display in
      let node = makeNode(100, 60)
      node.style.lineLimit = 1
      node.style.truncation = isTruncated ? .end : .none
      for color in [Color.red, .blue] {
        node.content.append("some words ", plain)
        let source = try square(color, display.pool)
        node.content.append(
          InlineImage(source, size: Size(width: 10, height: 10)),
          link: color == .red ? "red" : "blue"
        )
      }
      let bitmap = try picture(of: node, in: display)
      #expect(places(of: blue, in: bitmap) == nil)
      #expect(node.measure(in: node.frame.size).isTruncated)
      let row = (0..<100).map { Point(x: Double($0), y: 12) }
      for point in row { #expect(node.link(at: point) != "blue") }
      // If the node is large enough, the image is drawn and can be tapped.
      node.frame.size.width = 300
      let wide = try picture(of: node, in: display)
      let place = try #require(places(of: blue, in: wide))
      #expect(node.link(at: Point(x: place.midX, y: place.midY)) == "blue")
    }
  }

  // D10
  @Test("lines are placed according to both alignments", arguments: [0, 1, 2])
  func alignment(_ index: Int) throws {
    try withDisplay { display in
      let node = makeNode()
      node.content.append(
        InlineImage(try square(.red, display.pool), size: Size(width: 20, height: 20)),
        link: "it"
      )
      node.style.alignment = [.left, .center, .right][index]
      node.verticalAlignment = [.top, .center, .bottom][index]
      let place = try #require(places(of: red, in: try picture(of: node, in: display)))
      #expect(place.origin == Point(x: Double(90 * index), y: Double(40 * index)))
      #expect(node.link(at: Point(x: place.midX, y: place.midY)) == "it")
      #expect(node.link(at: Point(x: place.midX, y: place.midY + 25)) == nil)
    }
  }

  // D10
  @Test("a link is reported if a touch begins and ends on it, on any of its lines")
  func taps() throws {
    try withDisplay { display in
      let trace = Trace()
      let node = makeNode(120, 100)
      node.content.append("one ", plain)
      node.content.append("a long link that takes two lines", plain, link: "long")
      node.content.append(" end ", plain)
      node.content.append("x", plain, link: "short")
      node.linkHandler = { trace.record($0) }
      let router = TouchRouter(node)
      #expect(!router.began(at: Point(x: 60, y: 8)))
      _ = try picture(of: node, in: display)
      let line = AttributedText("o", plain).measure(TextStyle(), in: node.frame.size).size.height
      #expect(!router.began(at: Point(x: 5, y: 8)))
      for y in [8, line + 8] {
        #expect(router.began(at: Point(x: 60, y: y)))
        #expect(node.pressedLink == "long")
        router.ended(at: Point(x: 62, y: y))
        #expect(trace.take() == ["long"] && node.pressedLink == nil)
      }
      // The touch leaves the link and returns. The next touch leaves the link
      // and ends outside.
      router.began(at: Point(x: 60, y: 8))
      router.moved(to: Point(x: 5, y: 8))
      #expect(node.pressedLink == nil)
      router.moved(to: Point(x: 60, y: line + 8))
      #expect(node.pressedLink == "long")
      router.ended(at: Point(x: 5, y: 8))
      #expect(trace.take() == [])
      // Touches outside links are passed to the nodes behind, or to actions if
      // the node has actions. Touches on a link never call actions.
      node.addTarget(node, for: .all) { _, _, events in trace.record("\(events.rawValue)") }
      #expect(router.began(at: Point(x: 5, y: 8)))
      router.ended(at: Point(x: 5, y: 8))
      #expect(trace.take() == ["1", "64"])
      router.began(at: Point(x: 60, y: 8))
      router.ended(at: Point(x: 60, y: 8))
      #expect(trace.take() == ["long"])
      node.send(.touchUpInside)
      #expect(trace.take() == ["64"])
      // The new text has other links.
      router.began(at: Point(x: 60, y: 8))
      node.content = MixedText("nothing", plain)
      router.ended(at: Point(x: 60, y: 8))
      #expect(trace.take() == [])
      #expect(node.link(at: Point(x: 60, y: 8)) == nil)
    }
  }

  @Test("a pressed link is redrawn off the loop with a highlight behind it")
  func pressed() throws {
    try withDisplay { display in
      let node = makeNode()
      node.content.append("tap me", plain, link: "it")
      node.linkHighlight = .blue
      let before = try picture(of: node, in: display)
      #expect(places(of: blue, in: before) == nil)
      let router = TouchRouter(node)
      router.began(at: Point(x: 20, y: 8))
      #expect(node.layer?.contents === before)
      display.loop.run(.noWait)
      #expect(node.layer?.isDisplaying == true || node.layer?.contents !== before)
      let isPressed = display.settle()
      #expect(isPressed)
      let during = try #require(node.layer?.contents)
      let place = try #require(places(of: blue, in: during))
      let measure = node.measure(in: node.frame.size)
      #expect(abs(place.size.width - measure.size.width) <= 2 && place.origin.x <= 1)
      router.ended(at: Point(x: 20, y: 8))
      let after = try picture(of: node, in: display)
      let isSame = after.hasSamePixels(as: before)
      #expect(isSame)
    }
  }

  // D10
  @Test("a display waits for its images and omits those that cannot be decoded")
  func waitsForPictures() throws {
    try withDisplay { display in
      let node = makeNode()
      node.content.append("a", plain)
      let size = Size(width: 12, height: 12)
      node.content.append(InlineImage(.data(Pictures.file("png", 8, 8)), size: size))
      node.content.append(InlineImage(.data([1, 2, 3]), size: size))
      node.load(in: display)
      #expect(!node.isPrepared && node.layer?.isDisplaying == false)
      let isFinished = display.settle()
      #expect(isFinished && display.metrics.displayed == 1 && node.isPrepared)
      node.cancelDisplay()
      node.content.append(InlineImage(.data(Pictures.file("jpeg", 8, 8)), size: size))
      node.isDetached = true
      let isIdle = display.settle()
      #expect(isIdle && !node.isPrepared)
      node.isDetached = false
      let isDone = display.settle()
      #expect(isDone && display.metrics.displayed == 2)
    }
  }

  // D14
  @Test("drawings on several workers at the same time equal a drawing on the loop byte for byte")
  func sameBytes() throws {
    try withDisplay(workers: 4) { display in
      var pairs: [[MixedNode]] = []
      for number in 0..<30 {
        let pair = [true, false].map { isAsynchronous in
          let node = makeNode(120, 90)
          node.content.append("\(number) lines with ", plain)
          node.content.append(
            InlineImage(.data(Pictures.file("png", 9, 7)), size: Size(width: 14, height: 14)),
            link: "image"
          )
          node.content.append(" and שלום and more words", plain, link: "words")
          node.style.truncation = .end
          node.style.lineLimit = 1 + number % 4
          node.style.shadow = TextStyle.Shadow(offset: Point(x: 1, y: 1), color: .red)
          node.displaysAsynchronously = isAsynchronous
          node.load(in: display, scale: 2)
          return node
        }
        pairs.append(pair)
      }
      let isFinished = display.settle()
      #expect(isFinished)
      for pair in pairs {
        let (left, right) = (pair[0].layer?.contents, pair[1].layer?.contents)
        let isSame = left.flatMap { left in right.map { left.hasSamePixels(as: $0) } }
        #expect(isSame == true)
        for x in stride(from: 1.0, to: 120, by: 7) {
          let point = Point(x: x, y: 30)
          #expect(pair[0].link(at: point) == pair[1].link(at: point))
        }
      }
    }
  }

  @Test("extreme images, limits and sizes have a defined result")
  func odd() throws {
    try withDisplay { display in
      let source = try square(.red, display.pool)
      for value in [Double.nan, .infinity, -5, 0, 1e9] {
        let node = makeNode()
        let size = Size(width: value, height: 10)
        node.content.append("a", plain)
        node.content.append(InlineImage(source, size: size, descent: value), link: "it")
        node.content.append(InlineImage(source, size: Size(width: 5, height: value)))
        node.style.truncation = .end
        node.style.lineLimit = value < 1 ? Int(value) : nil
        node.verticalAlignment = .center
        _ = try picture(of: node, in: display)
        _ = node.link(at: Point(x: value, y: value))
        #expect(node.measure(in: Size(width: value, height: 1)).lineCount >= 0)
        node.unload()
      }
      #expect(display.metrics.failed == 0)
    }
  }
}
