import AsyncDisplay

/// The content of the details view: the picture, the title and the text of a
/// card, drawn into one bitmap.
final class DetailsNode: Node {
  /// Called on the loop once the content has been displayed.
  var onDisplayed: (() -> Void)?

  private let picture = ImageNode()
  private let title = TextNode()
  private let text = TextNode()

  /// Creates the content for a panel of `width` points, at least `height`
  /// points high. Measures the texts, so create it on a worker.
  init(_ content: CardContent, width: Double, height: Double) {
    super.init()
    rasterizesSubtree = true
    isOpaque = true
    backgroundColor = .white
    picture.image = .data(content.picture)
    picture.keepsImage = false
    let dark = Color(white: 0.13)
    title.text = AttributedText(content.title, size: 34, weight: 800, color: dark)
    text.text = AttributedText(content.details, size: 18, weight: 400, color: dark)
    text.style.lineSpacing = 6
    for node in [picture, title, text] { addSubnode(node) }
    place(content, width: width, height: height)
  }

  private func place(_ content: CardContent, width: Double, height: Double) {
    let (pixels, margin) = (content.pixels, 32.0)
    let high = (width * Double(pixels.height) / Double(pixels.width)).rounded(.up)
    picture.frame = Rect(x: 0, y: 0, width: width, height: high)
    let room = Size(width: max(1, width - 2 * margin), height: .infinity)
    var top = high + margin
    for node in [title, text] {
      let size = Size(width: room.width, height: node.measure(in: room).size.height.rounded(.up))
      node.frame = Rect(origin: Point(x: margin, y: top), size: size)
      top += size.height + margin / 2
    }
    frame = Rect(x: 0, y: 0, width: width, height: max(height, top + margin / 2))
  }

  /// Calls `onDisplayed`.
  override func hierarchyDidDisplay() { onDisplayed?() }
}
