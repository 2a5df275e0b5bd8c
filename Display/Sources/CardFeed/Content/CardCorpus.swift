import AsyncDisplay
import LoopTransactionsTesting

/// The 19 cards of the feed, generated from a seed.
///
/// Pictures and texts have the same proportions and lengths as in the
/// AsyncDisplayKit tutorial. The pictures are rendered landscapes, so that no
/// third-party content is distributed. A longer feed repeats the 19 cards.
///
/// Modelled on the AsyncDisplayKit tutorial of 2014.
public struct CardCorpus: Sendable {
  /// The cards.
  public let cards: [CardContent]

  /// The number of pixels per point for which the pictures are made. In the
  /// AsyncDisplayKit tutorial it is 2.
  public let scale: Double

  /// Generates the cards of `seed`.
  ///
  /// Call from any thread. Takes about a second at scale 2.
  ///
  /// - Parameter scale: The number of pixels per point for which the pictures
  ///   are made.
  ///
  /// - Throws: `DisplayError` if memory runs out.
  public init(seed: UInt64 = 19, scale: Double = 2) throws {
    try self.init(seed: seed, scale: scale, scripts: Script.common)
  }

  /// Generates the cards of `seed`, written in `scripts`.
  package init(seed: UInt64 = 19, scale: Double, scripts: Set<Script>) throws {
    var random = SeededGenerator(seed: seed)
    var cards: [CardContent] = []
    for (number, size) in Self.sizes.enumerated() {
      let (scenery, script) = Self.subjects[number]
      let earlier = Self.subjects[..<number].count { $0.0 == scenery }
      let text = CardWriter(scenery, earlier, scripts.contains(script) ? script : .latin, &random)
      let original = PictureOriginal(scenery: scenery, seed: random.next())
      let pixels = Self.pixels(Double(size.0), Double(size.1), scale)
      cards.append(
        CardContent(
          title: text.title,
          details: text.details,
          picture: ImageData(try original.file(of: pixels)),
          pixels: pixels,
          original: original
        )
      )
    }
    self.cards = cards
    self.scale = scale
  }

  /// The same cards without text. These cards look the same on every machine,
  /// regardless of its fonts.
  package var withoutText: CardCorpus {
    CardCorpus(cards: cards.map { $0.with(title: "", details: "") }, scale: scale)
  }

  private init(cards: [CardContent], scale: Double) { (self.cards, self.scale) = (cards, scale) }

  /// Returns the card at `index` of a feed.
  public subscript(index: Int) -> CardContent { cards[index % cards.count] }

  // A picture is at least as wide as its card, so that no picture is enlarged.
  // Its height is in whole points.
  private static func pixels(_ width: Double, _ height: Double, _ scale: Double) -> PixelSize {
    let points = max(FeedLayout.cardWidth, width / 2)
    let high = (points * height / width).rounded(.up)
    return PixelSize(width: max(1, Int(points * scale)), height: max(1, Int(high * scale)))
  }

  // Neighbouring cards show different landscapes. A card whose script has no
  // font is written in Latin script.
  private static let subjects: [(Scenery, Script)] = [
    (.lake, .latin), (.coast, .latin), (.meadow, .latin), (.forest, .cyrillic),
    (.mountains, .latin), (.lake, .greek), (.desert, .latin), (.coast, .georgian),
    (.forest, .latin), (.lake, .arabic), (.mountains, .latin), (.desert, .hebrew),
    (.mountains, .devanagari), (.lake, .han), (.meadow, .latin), (.forest, .kana),
    (.lake, .armenian), (.meadow, .hangul), (.forest, .emoji),
  ]

  /// The sizes of the pictures in the AsyncDisplayKit tutorial. They are 496 to
  /// 763 pixels wide and 425 to 975 pixels high.
  static let sizes = [
    (640, 853), (640, 427), (640, 960), (496, 744), (640, 640), (763, 508), (640, 800),
    (640, 425), (640, 718), (640, 975), (600, 480), (640, 512), (720, 960), (640, 600),
    (640, 690), (640, 428), (560, 840), (640, 780), (640, 560),
  ]
}
