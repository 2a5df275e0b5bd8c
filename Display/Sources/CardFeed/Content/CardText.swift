import AsyncDisplay

/// The title and the text of a card in their fonts, and the places for them.
///
/// Scripts have lines of different heights, and machines have different fonts.
/// The height of a text is therefore measured.
struct CardText {
  /// The margin between a card's edge and its title, and its text, in points.
  static let (titleMargin, textMargin) = (20.0, 24.0)
  /// The space below the title, and above and below the text, in points.
  static let (titleGap, textGap) = (10.0, 18.0)
  // The height of the area below the picture in the AsyncDisplayKit tutorial.
  private static let leastHeight = 300.0

  let title: AttributedText
  let details: AttributedText

  init(title: String, details: String) {
    self.title = AttributedText(title, size: 30, weight: 800, color: .white)
    self.details = AttributedText(details, size: 16, weight: 500, color: .white)
  }

  /// The height of all lines of the title, in points.
  var titleHeight: Double { Self.height(of: title, margin: Self.titleMargin) }

  /// The height of the area for the text, in points: 300, or more if the text
  /// needs more.
  var areaHeight: Double {
    let height = Self.height(of: details, margin: Self.textMargin)
    return max(Self.leastHeight, height + 2 * Self.textGap)
  }

  private static func height(of text: AttributedText, margin: Double) -> Double {
    let room = Size(width: FeedLayout.cardWidth - 2 * margin, height: .infinity)
    return text.measure(TextStyle(), in: room).size.height.rounded(.up)
  }
}
