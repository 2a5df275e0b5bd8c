import AsyncDisplay
import LoopTransactions

// The text of the `BandedNode` example below.
private let text = Examples.total()

/// The examples of the documentation. `ExampleTests` compares them with the
/// documentation line by line.
enum Examples {
  final class Liked: Node {
    private(set) var likes = 0
    func like() { likes += 1 }
  }

  struct Scroll { var offset = 0.0 }

  static func display(_ loop: EventLoop, _ card: Painter) -> Layer {
    let display = Display(on: loop)
    let layer = Layer(in: display)
    layer.delegate = card
    layer.size = Size(width: 320, height: 504)
    layer.setNeedsDisplay()
    loop.run()
    return layer
  }

  static func node() -> Node {
    final class Dot: Node {
      var color = Color.black { didSet { setNeedsDisplay() } }

      override func makeDrawing() -> DisplayTask.Display? {
        { [color] context, size, _ in
          context.fill(Rect(size: size), radius: size.width / 2, with: color)
        }
      }
    }
    return Dot()
  }

  static func bands() -> Node {
    final class Article: BandedNode {
      override func makeBandDrawing() -> BandDisplay? {
        { [text] context, size, band, isCancelled in
          try text.draw(
            TextStyle(),
            in: Rect(size: size),
            of: context,
            isCancelled: isCancelled
          )
        }
      }
    }
    return Article()
  }

  static func ranges(
    _ display: Display,
    _ cards: [FeedCard],
    _ scroll: Scroll
  ) -> RangeController {
    let ranges = RangeController(on: display)
    ranges.items = cards
    ranges.viewport = Rect(x: 0, y: scroll.offset, width: 768, height: 1024)
    return ranges
  }

  static func control(_ heart: ControlNode, _ card: Liked) -> ControlNode {
    final class Heart: ControlNode {
      override func makeDrawing() -> DisplayTask.Display? {
        { [isHighlighted] context, size, _ in
          let color = Color(white: isHighlighted ? 0.5 : 0.8)
          context.fill(Rect(size: size), with: color)
        }
      }
    }
    heart.addTarget(card, for: .touchUpInside) { card, _, _ in card.like() }
    return Heart()
  }

  static func touches(_ card: Node) {
    let router = TouchRouter(card)
    router.began(at: Point(x: 20, y: 30))
    router.ended(at: Point(x: 21, y: 30))
  }

  static func frames(_ display: Display, _ clock: FrameClock) {
    // snippet.frames
    display.measuresDrawing = true
    clock.frameHandler = { frame in
      let report = display.report(on: frame)
      if frame.frame.missed > 0 { print(report) }
    }
    // snippet.end
  }

  static func cancelled(_ display: Display) {
    let watch = CancelWatch(display.onStopped)
    let operation = display.build { _ -> sending TextNode in
      watch?.begin()
      defer { watch?.end() }
      return TextNode()
    } completion: { outcome in
      outcome.value?.load(in: display, scale: 2)
    }

    // On the loop, when the node is no longer needed:
    watch?.cancel()
    operation.cancel()
  }

  static func canvas() -> CanvasNode {
    let card = CanvasNode()
    card.cornerRadius = 8
    card.backgroundColor = .white
    card.border = Border(width: 1, color: Color(white: 0.8))
    let offset = Point(x: 0, y: 2)
    card.shadow = CanvasNode.Shadow(offset: offset, blur: 3, color: .black)
    return card
  }

  static func mixed(_ plain: TextAttributes, _ underlined: TextAttributes) -> MixedText {
    var text = MixedText("Rated ", plain)
    let size = Size(width: 12, height: 12)
    text.append(InlineImage(.file("star.png"), size: size))
    text.append(" by 310, see ", plain)
    text.append("reviews", underlined, link: "reviews")
    return text
  }

  static func total() -> AttributedText {
    let font = Font("DejaVu Sans", size: 16)
    let bold = Font("DejaVu Sans", size: 16, weight: 700)
    var text = AttributedText("Total ", TextAttributes(font: font))
    text.append("12.50", TextAttributes(font: bold))
    return text
  }
}
