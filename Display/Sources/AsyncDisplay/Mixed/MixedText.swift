/// Text with inline images and tappable links.
///
/// The text has the same limits as `AttributedText`. Images and links after the
/// point where the text is cut are omitted, too.
///
/// `MixedText` is a value type. The positions of images do not depend on the
/// text that the images were first appended to.
///
/// ```swift
/// var text = MixedText("Rated ", plain)
/// let size = Size(width: 12, height: 12)
/// text.append(InlineImage(.file("star.png"), size: size))
/// text.append(" by 310, see ", plain)
/// text.append("reviews", underlined, link: "reviews")
/// ```
///
/// Modelled on Graver's `WMGAttributedItem`.
public struct MixedText: Hashable, Sendable {
  /// A tappable range of text.
  public struct Link: Hashable, Sendable {
    /// The range in the text, in bytes of UTF-8.
    public internal(set) var range: Range<Int>
    /// The name that is passed to `MixedNode.linkHandler`.
    public let name: String
  }

  /// An image and its range in the text.
  struct Placed: Hashable, Sendable {
    var range: Range<Int>
    let image: InlineImage
  }

  /// The text, with U+FFFC in place of each image.
  public private(set) var text = AttributedText()

  /// The links in the order of the text. Adjacent links with the same name are
  /// merged.
  public private(set) var links: [Link] = []

  private(set) var placed: [Placed] = []

  /// Creates an empty text.
  public init() {}

  /// Creates a text with the same attributes everywhere.
  public init(_ string: String, _ attributes: TextAttributes) { append(string, attributes) }

  /// Whether the text is empty.
  public var isEmpty: Bool { text.isEmpty }

  /// The images in the order of the text.
  public var images: [InlineImage] { placed.map(\.image) }

  /// Appends `string`. If `link` is not nil, the string becomes a link.
  public mutating func append(_ string: String, _ attributes: TextAttributes, link: String? = nil) {
    let start = text.string.utf8.count
    text.append(string, attributes)
    append(link, from: start)
  }

  /// Appends `image`. If `link` is not nil, the image becomes a link.
  public mutating func append(_ image: InlineImage, link: String? = nil) {
    let start = text.string.utf8.count
    // The font has no effect, because the image determines the space.
    text.append("\u{FFFC}", TextAttributes(font: Font("Sans", size: 1)))
    guard text.string.utf8.count > start else { return }
    placed.append(Placed(range: start..<text.string.utf8.count, image: image))
    append(link, from: start)
  }

  /// Appends `other`.
  public mutating func append(_ other: MixedText) {
    let start = text.string.utf8.count
    var bytes = other.text.string.utf8[...]
    // The only text that can be omitted is marks at the beginning of `other`,
    // because these marks join the last letter of this text.
    var omitted = 0
    for run in other.text.runs {
      omitted += text.add(
        String(decoding: bytes.prefix(run.range.count), as: UTF8.self),
        run.attributes
      )
      bytes = bytes.dropFirst(run.range.count)
    }
    if other.text.isCut { text.cut() }
    let end = text.string.utf8.count
    func moved(_ range: Range<Int>) -> Range<Int> {
      let all = start..<end
      return (range.lowerBound + start - omitted..<range.upperBound + start - omitted)
        .clamped(to: all)
    }
    for each in other.placed where !moved(each.range).isEmpty {
      placed.append(Placed(range: moved(each.range), image: each.image))
    }
    for link in other.links where !moved(link.range).isEmpty {
      append(Link(range: moved(link.range), name: link.name))
    }
  }

  /// Returns the index of the link that contains the byte at `offset`.
  ///
  /// - Complexity: O(log n) in the number of links.
  func link(at offset: Int) -> Int? {
    var range = links.indices
    while !range.isEmpty {
      let middle = (range.lowerBound + range.upperBound) / 2
      let link = links[middle].range
      if link.contains(offset) { return middle }
      range = offset < link.lowerBound ? range.lowerBound..<middle : middle + 1..<range.upperBound
    }
    return nil
  }

  private mutating func append(_ name: String?, from start: Int) {
    let end = text.string.utf8.count
    guard let name, end > start else { return }
    append(Link(range: start..<end, name: name))
  }

  private mutating func append(_ link: Link) {
    if let last = links.last, last.name == link.name,
      last.range.upperBound == link.range.lowerBound
    {
      links[links.count - 1].range = last.range.lowerBound..<link.range.upperBound
    } else {
      links.append(link)
    }
  }
}
