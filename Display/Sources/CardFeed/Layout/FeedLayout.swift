public import AsyncDisplay

/// The frames of the cards of a feed, in as many columns as fit its width. Each
/// card goes below the shortest column.
///
/// A layout is a value. Create and read it on any thread.
public struct FeedLayout: Sendable {
  /// The width of a card, in points.
  public static let cardWidth = 320.0
  /// The space between and around cards, in points.
  public static let gap = 10.0
  /// The frame of each card.
  public let frames: [Rect]
  /// The height of the whole feed, in points.
  public let height: Double
  // The cards of each column from top to bottom, so that the frames of a column
  // are sorted.
  private let columns: [[Int]]

  /// Lays out `count` cards of `corpus` in a feed of `width` points.
  public init(_ corpus: CardCorpus, count: Int, width: Double) {
    let columnCount = Self.columnCount(width)
    let across = Double(columnCount) * (Self.cardWidth + Self.gap) - Self.gap
    let left = max(0, (width - across) / 2)
    var bottoms = [Double](repeating: Self.gap, count: columnCount)
    var columns = [[Int]](repeating: [], count: columnCount)
    var frames: [Rect] = []
    for index in 0..<count {
      let column = bottoms.indices.min { bottoms[$0] < bottoms[$1] } ?? 0
      let size = Self.size(of: corpus[index])
      let x = left + Double(column) * (Self.cardWidth + Self.gap)
      frames.append(Rect(origin: Point(x: x, y: bottoms[column]), size: size))
      bottoms[column] += size.height + Self.gap
      columns[column].append(index)
    }
    self.frames = frames
    self.columns = columns
    height = bottoms.max() ?? 0
  }

  // A feed that is narrower than a card has one column. The limit keeps the
  // conversion from trapping; no screen is that wide.
  private static func columnCount(_ width: Double) -> Int {
    let count = ((width + gap) / (cardWidth + gap)).rounded(.down)
    return count >= 1 ? Int(min(count, 64)) : 1
  }

  /// Returns the height of the picture of `card`, in points.
  public static func pictureHeight(of card: CardContent) -> Double {
    (cardWidth * Double(card.pixels.height) / Double(card.pixels.width)).rounded(.up)
  }

  /// Returns the size of `card`, in points.
  public static func size(of card: CardContent) -> Size {
    Size(width: cardWidth, height: pictureHeight(of: card) + card.textHeight)
  }

  /// Returns the cards that overlap the range from `top` to `bottom`, in
  /// ascending order.
  ///
  /// - Complexity: O(log *n* + *m*), where *n* is the number of cards and *m*
  ///   is the number of cards returned.
  public func cards(from top: Double, to bottom: Double) -> [Int] {
    var found: [Int] = []
    for column in columns {
      var (low, high) = (0, column.count)
      while low < high {
        let middle = (low + high) / 2
        if frames[column[middle]].maxY <= top { low = middle + 1 } else { high = middle }
      }
      while low < column.count, frames[column[low]].origin.y < bottom {
        found.append(column[low])
        low += 1
      }
    }
    return found.sorted()
  }
}
