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
  private let titleHeight: Double
  private let textHeight: Double
  // The height of the picture divided by its width.
  private let ratio: Double

  /// Creates the full-size card of `content`, the card at `index` of a feed.
  ///
  /// - Parameters:
  ///   - blur: The blur of the cover.
  ///   - isMarked: Whether the number of the card is encoded in its picture. See
  ///     `index(in:)`.
  public init(_ content: CardContent, index: Int, blur: BlurFilter, isMarked: Bool = false) {
    (titleHeight, textHeight) = (content.titleHeight, content.textHeight)
    ratio = Double(content.pixels.height) / Double(content.pixels.width)
    super.init()
    rasterizesSubtree = true
    isOpaque = true
    backgroundColor = Color(white: 0.85)
    let source = ImageSource.data(content.picture)
    cover.image = source
    cover.modification = .blur(blur)
    picture.image = source
    picture.contentMode = .aspectFit
    shade.gradient = Gradient([.init(0.5, .clear), .init(1, Color(white: 0, alpha: 0.7))])
    write(content)
    border.color = Color(white: 1, alpha: 0.4)
    for node in [cover, picture, shade, title, details, border] {
      if let image = node as? ImageNode { image.keepsImage = false }
      addSubnode(node)
    }
    if isMarked { addSubnode(IndexMarkNode(index)) }
    frame = Rect(size: FeedLayout.size(of: content))
  }

  /// Whether the cover or the picture has been decoded.
  var isBegun: Bool { cover.isPrepared || picture.isPrepared }

  /// Makes the card and all of its parts draw on the loop.
  func becomeSynchronous() { forEachNode { $0.displaysAsynchronously = false } }

  private func write(_ content: CardContent) {
    let text = CardText(title: content.title, details: content.details)
    (title.text, details.text) = (text.title, text.details)
    title.style.shadow = Self.shadow(2)
    details.style.shadow = Self.shadow(1)
  }

  private static func shadow(_ down: Double) -> TextStyle.Shadow {
    TextStyle.Shadow(offset: Point(x: 0, y: down), blur: 3, color: Color(white: 0, alpha: 0.3))
  }

  /// Lays out the parts as in the tutorial of AsyncDisplayKit.
  override public func layOut() {
    let (width, high) = (frame.size.width, frame.size.height - textHeight)
    cover.frame = bounds
    // Not rounded, so that a picture of the card's size is not interpolated.
    picture.frame = Rect(x: 0, y: 0, width: width, height: width * ratio)
    shade.frame = Rect(x: 0, y: 0, width: width, height: high)
    title.frame = Rect(
      x: CardText.titleMargin,
      y: high - CardText.titleGap - titleHeight,
      width: width - 2 * CardText.titleMargin,
      height: titleHeight
    )
    details.frame = Rect(
      x: CardText.textMargin,
      y: high + CardText.textGap,
      width: width - 2 * CardText.textMargin,
      height: textHeight - 2 * CardText.textGap
    )
    for node in subnodes where node === border || node is IndexMarkNode { node.frame = bounds }
  }

  /// Calls `onDisplayed`.
  override public func hierarchyDidDisplay() { onDisplayed?() }
}

/// A node that draws a line along the inside of its bounds, with the round
/// corners to which a screen cuts the card.
final class BorderNode: Node {
  var color = Color.black

  override func makeDrawing() -> DisplayTask.Display? {
    { [color] context, size, _ in
      let radius = FeedParts.cornerRadius
      context.stroke(Rect(size: size), radius: radius, width: 1, with: color)
    }
  }
}
