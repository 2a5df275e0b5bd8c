import AsyncDisplay

/// The 19 cards of the feed, made from a seed.
///
/// Sizes of pictures and lengths of texts are those of the tutorial's; pictures and
/// words are made up, so that nobody's are shipped. A feed that is longer repeats them.
///
/// After the AsyncDisplayKit tutorial of 2014.
public struct CardCorpus: Sendable {
  /// The cards.
  public let cards: [CardContent]

  /// For how many pixels a point its pictures are made: 2 as the tutorial's.
  public let scale: Double

  /// The cards of `seed`.
  ///
  /// Call from any thread. Takes about a quarter of a second.
  ///
  /// - Parameter scale: For how many pixels a point its pictures are made.
  /// - Throws: `DisplayError` if there is no memory.
  public init(seed: UInt64 = 19, scale: Double = 2) throws {
    var random = FeedRandom(seed: seed)
    var cards: [CardContent] = []
    for (number, size) in Self.sizes.enumerated() {
      let pixels = PixelSize(
        width: Int(Double(size.0) * scale / 2),
        height: Int(Double(size.1) * scale / 2)
      )
      cards.append(
        CardContent(
          title: Words.title(number, &random),
          details: Words.details(&random),
          picture: ImageData(try PictureMaker.file(pixels, &random)),
          pixels: pixels
        )
      )
    }
    self.cards = cards
    self.scale = scale
  }

  /// The same cards without a word: they look the same whatever fonts there are.
  package var withoutText: CardCorpus { CardCorpus(cards: cards.map(\.withoutText), scale: scale) }

  private init(cards: [CardContent], scale: Double) { (self.cards, self.scale) = (cards, scale) }

  /// The card at `index` of a feed.
  public subscript(index: Int) -> CardContent { cards[index % cards.count] }

  /// Pixels of the tutorial's pictures: 496 to 763 wide, 425 to 975 high.
  static let sizes = [
    (640, 853), (640, 427), (640, 960), (496, 744), (640, 640), (763, 508), (640, 800),
    (640, 425), (640, 718), (640, 975), (600, 480), (640, 512), (720, 960), (640, 600),
    (640, 690), (640, 428), (560, 840), (640, 780), (640, 560),
  ]
}
