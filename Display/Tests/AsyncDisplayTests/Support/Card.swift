import AsyncDisplay

/// A card of the tutorial's feed, drawn into one bitmap. It has a blurred
/// cover, a picture, a gradient, a title and a description. It has a quarter of
/// the tutorial's size, because tests are not optimised.
final class Card: Node {
  private let cover = ImageNode()
  private let picture = ImageNode()
  private let shade = GradientNode()
  private let title = TextNode()
  private let details = TextNode()

  init(_ number: Int) {
    super.init()
    rasterizesSubtree = true
    isOpaque = true
    backgroundColor = Color(white: 0.85)
    let source = ImageSource.data(Pictures.file("jpeg", 40 + number % 5, 30 + number % 7))
    cover.image = source
    cover.modification = .blur(
      BlurFilter(radius: 6, saturation: 1.8, tint: Color(white: 0.5, alpha: 0.3), reduction: 2)
    )
    picture.image = source
    picture.contentMode = .aspectFit
    shade.gradient = Gradient([.init(0.5, .clear), .init(1, .black)])
    let white = TextAttributes(font: Font("DejaVu Sans", size: 5, weight: 700), color: .white)
    title.text = AttributedText("Card \(number)", white)
    title.style.shadow = TextStyle.Shadow(
      offset: Point(x: 0, y: 1),
      color: Color(white: 0, alpha: 0.3)
    )
    details.text = AttributedText("Some words, with 漢字, that fill its lines.", white)
    details.style.alignment = .justified
    for node in [cover, picture, shade, title, details] { addSubnode(node) }
  }

  override func layOut() {
    let (width, height) = (frame.size.width, frame.size.height)
    cover.frame = bounds
    picture.frame = Rect(x: 0, y: 0, width: width, height: height / 2)
    shade.frame = picture.frame
    title.frame = Rect(x: 5, y: height / 2 - 10, width: width - 10, height: 10)
    details.frame = Rect(x: 6, y: height / 2 + 5, width: width - 12, height: height / 2 - 10)
  }
}
