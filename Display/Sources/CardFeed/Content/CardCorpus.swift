import AsyncDisplay
import LoopTransactionsTesting

/// The 19 cards of the feed, generated from a seed.
///
/// Pictures and texts have the same sizes and lengths as in the AsyncDisplayKit
/// tutorial. The pictures are rendered landscapes, so that no third-party
/// content is distributed. A longer feed repeats the 19 cards.
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
      let scenery = Self.sceneries[number % Self.sceneries.count]
      let text = CardWriter(number, scenery, scripts, &random)
      let pixels = PixelSize(
        width: Int(Double(size.0) * scale / 2),
        height: Int(Double(size.1) * scale / 2)
      )
      cards.append(
        CardContent(
          title: text.title,
          details: text.details,
          picture: ImageData(try PictureMaker.file(of: scenery, pixels, &random)),
          pixels: pixels
        )
      )
    }
    self.cards = cards
    self.scale = scale
  }

  /// The same cards without text. These cards look the same on every machine,
  /// regardless of its fonts.
  package var withoutText: CardCorpus { CardCorpus(cards: cards.map(\.withoutText), scale: scale) }

  private init(cards: [CardContent], scale: Double) { (self.cards, self.scale) = (cards, scale) }

  /// Returns the card at `index` of a feed.
  public subscript(index: Int) -> CardContent { cards[index % cards.count] }

  // Neighbouring cards show different landscapes.
  private static let sceneries: [Scenery] = [
    .lake, .coast, .meadow, .forest, .mountains, .lake, .desert, .coast, .forest, .lake,
    .mountains, .desert, .mountains, .lake, .meadow, .forest, .lake, .meadow, .forest,
  ]

  /// The sizes of the pictures in the AsyncDisplayKit tutorial. They are 496 to
  /// 763 pixels wide and 425 to 975 pixels high.
  static let sizes = [
    (640, 853), (640, 427), (640, 960), (496, 744), (640, 640), (763, 508), (640, 800),
    (640, 425), (640, 718), (640, 975), (600, 480), (640, 512), (720, 960), (640, 600),
    (640, 690), (640, 428), (560, 840), (640, 780), (640, 560),
  ]
}
