/// Text with pictures in its lines, and stretches that can be tapped.
///
/// It is bounded as `AttributedText` is; once that is cut, pictures and links are left out as
/// well.
///
/// A value: where its pictures are does not depend on what it was appended to.
///
/// ```swift
/// var text = MixedText("Rated ", plain)
/// text.append(InlineImage(.file("star.png"), size: Size(width: 12, height: 12)))
/// text.append(" by 310, see ", plain)
/// text.append("reviews", underlined, link: "reviews")
/// ```
///
/// After Graver's WMGAttributedItem, which moved the pictures of what was appended.
public struct MixedText: Hashable, Sendable {
  /// A stretch that can be tapped.
  public struct Link: Hashable, Sendable {
    /// Where it is in the text, in bytes of UTF-8.
    public internal(set) var range: Range<Int>
    /// What it leads to.
    public let name: String
  }

  /// A picture, and where it is in the text.
  struct Placed: Hashable, Sendable {
    var range: Range<Int>
    let image: InlineImage
  }

  /// The text; a U+FFFC for each picture.
  public private(set) var text = AttributedText()

  /// What can be tapped, one after the other. Neighbours of one name are one.
  public private(set) var links: [Link] = []

  private(set) var placed: [Placed] = []

  /// Nothing.
  public init() {}

  /// `string`, all of it looking the same.
  public init(_ string: String, _ attributes: TextAttributes) { append(string, attributes) }

  /// Whether there is nothing in it.
  public var isEmpty: Bool { text.isEmpty }

  /// Its pictures, in their order.
  public var images: [InlineImage] { placed.map(\.image) }

  /// Adds `string` at the end.
  public mutating func append(_ string: String, _ attributes: TextAttributes, link: String? = nil) {
    let start = text.string.utf8.count
    text.append(string, attributes)
    append(link, from: start)
  }

  /// Adds `image` at the end.
  public mutating func append(_ image: InlineImage, link: String? = nil) {
    let start = text.string.utf8.count
    // Its font does not count: the room that the picture has does.
    text.append("\u{FFFC}", TextAttributes(font: Font("Sans", size: 1)))
    guard text.string.utf8.count > start else { return }
    placed.append(Placed(range: start..<text.string.utf8.count, image: image))
    append(link, from: start)
  }

  /// Adds all of `other` at the end.
  public mutating func append(_ other: MixedText) {
    let start = text.string.utf8.count
    var bytes = other.text.string.utf8[...]
    // Only of those that it begins with: marks on the last letter of this.
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

  /// The index of the link that has the byte at `offset`.
  ///
  /// - Complexity: O(log n) in the links.
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
