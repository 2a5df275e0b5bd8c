import AsyncDisplay

/// The content of the details view: the picture, the title and the text of a
/// card, drawn into one bitmap.
final class DetailsNode: Node {
  /// Called on the loop once the content has been displayed.
  var onDisplayed: (() -> Void)?

  private let picture = ImageNode()
  private let title = TextNode()
  private let text = TextNode()

  /// Creates the content for `panel`. Measures the texts, so create it on a
  /// worker.
  ///
  /// - Parameter data: The picture in any size, or nil for the card's.
  init(_ content: CardContent, picture data: ImageData? = nil, in panel: DetailsPanel) {
    super.init()
    rasterizesSubtree = true
    isOpaque = true
    backgroundColor = .white
    picture.image = .data(data ?? content.picture)
    picture.keepsImage = false
    let dark = Color(white: 0.13)
    title.text = AttributedText(content.title, size: 34, weight: 800, color: dark)
    text.text = AttributedText(content.details, size: 18, weight: 400, color: dark)
    text.style.lineSpacing = 6
    for node in [picture, title, text] { addSubnode(node) }
    place(content, in: panel)
  }

  private func place(_ content: CardContent, in panel: DetailsPanel) {
    let (width, margin) = (panel.size.width, 32.0)
    let high = panel.pictureHeight(of: content)
    picture.frame = Rect(x: 0, y: 0, width: width, height: high)
    let room = Size(width: max(1, width - 2 * margin), height: .infinity)
    var top = high + margin
    for node in [title, text] {
      let size = Size(width: room.width, height: node.measure(in: room).size.height.rounded(.up))
      node.frame = Rect(origin: Point(x: margin, y: top), size: size)
      top += size.height + margin / 2
    }
    frame = Rect(x: 0, y: 0, width: width, height: max(panel.size.height, top + margin / 2))
  }

  /// Calls `onDisplayed`.
  override func hierarchyDidDisplay() { onDisplayed?() }
}

/// The part of a window that shows the details of a card.
struct DetailsPanel: Hashable, Sendable {
  var size: Size
  /// The number of pixels per point.
  var scale: Double

  /// Returns the size of the picture of `content` in pixels, or nil if it is
  /// too large for a bitmap.
  func picturePixels(of content: CardContent) -> PixelSize? {
    let ratio = Double(content.pixels.height) / Double(content.pixels.width)
    // try?: the picture is then shown in the size that it has.
    return try? PixelSize(Size(width: size.width, height: size.width * ratio), scale: scale)
  }

  /// Returns the height of the place for the picture of `content` in points. A
  /// high picture is cropped, so that the title can be seen below it. The place
  /// and the cropped part have whole pixels, so that none is interpolated.
  func pictureHeight(of content: CardContent) -> Double {
    let most = 0.62 * size.height
    guard let pixels = picturePixels(of: content) else { return most }
    let rest = Int(max(0, Double(pixels.height) - most * scale) / 2)
    return Double(pixels.height - 2 * rest) / scale
  }
}
