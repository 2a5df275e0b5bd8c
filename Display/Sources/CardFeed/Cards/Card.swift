public import AsyncDisplay

/// A card of the feed, drawn into one bitmap. It consists of a blurred cover, a
/// picture, a gradient, a title, a text and a border.
///
/// Like every node, a card can be built on any thread.
public final class Card: Node {
  /// Called on the loop once the card has been displayed.
  var onDisplayed: (() -> Void)?

  private let cover = ImageNode()
  private let picture = ImageNode()
  private let shade = GradientNode()
  private let title = TextNode()
  private let details = TextNode()
  private let border = BorderNode()
  private let indexMark: IndexMarkNode

  /// Creates the full-size card of `content`, the card at `index` of a feed.
  ///
  /// - Parameter blur: The blur of the cover.
  public init(_ content: CardContent, index: Int, blur: BlurFilter) {
    indexMark = IndexMarkNode(index)
    super.init()
    rasterizesSubtree = true
    isOpaque = true
    backgroundColor = Color(white: 0.85)
    let source = ImageSource.data(content.picture)
    cover.image = source
    cover.modification = .blur(blur)
    picture.image = source
    picture.contentMode = .aspectFit
    shade.gradient = Gradient([.init(0.5, .clear), .init(1, .black)])
    write(content)
    border.color = Color(white: 1, alpha: 0.4)
    for node in [cover, picture, shade, title, details, border, indexMark] {
      if let image = node as? ImageNode { image.keepsImage = false }
      addSubnode(node)
    }
    frame = Rect(size: FeedLayout.size(of: content))
  }

  /// Whether the cover or the picture has been decoded.
  var isBegun: Bool { cover.isPrepared || picture.isPrepared }

  /// Makes the card and all of its parts draw on the loop.
  func becomeSynchronous() { forEachNode { $0.displaysAsynchronously = false } }

  private func write(_ content: CardContent) {
    let heavy = Font("DejaVu Sans", size: 30, weight: 800)
    title.text = AttributedText(content.title, TextAttributes(font: heavy, color: .white))
    title.style.shadow = Self.shadow(2)
    title.style.truncation = .end
    let medium = Font("DejaVu Sans", size: 16, weight: 500)
    details.text = AttributedText(content.details, TextAttributes(font: medium, color: .white))
    details.style.shadow = Self.shadow(1)
    for text in [title, details] { text.style.alignment = .justified }
  }

  private static func shadow(_ down: Double) -> TextStyle.Shadow {
    TextStyle.Shadow(offset: Point(x: 0, y: down), blur: 3, color: Color(white: 0, alpha: 0.3))
  }

  /// Lays out the parts as in the tutorial of AsyncDisplayKit.
  override public func layOut() {
    let high = frame.size.height - FeedLayout.textHeight
    cover.frame = bounds
    picture.frame = Rect(x: 0, y: 0, width: frame.size.width, height: high)
    shade.frame = picture.frame
    title.frame = Rect(x: 20, y: high - 50, width: 280, height: 40)
    details.frame = Rect(x: 24, y: high + 20, width: 272, height: 300)
    border.frame = bounds
    indexMark.frame = bounds
  }

  /// Calls `onDisplayed`.
  override public func hierarchyDidDisplay() { onDisplayed?() }
}

/// A node that draws a line along the inside of its bounds.
final class BorderNode: Node {
  var color = Color.black

  override func makeDrawing() -> DisplayTask.Display? {
    { [color] context, size, _ in
      context.stroke(Rect(size: size), width: 1, with: color)
    }
  }
}
