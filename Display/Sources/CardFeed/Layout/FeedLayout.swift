public import AsyncDisplay

/// Where the cards of a feed are: in columns, each card below the shortest.
///
/// A value: make and read it on any thread.
public struct FeedLayout: Sendable {
  /// How wide a card is, in points.
  public static let cardWidth = 320.0
  /// Points between two cards, and around them.
  public static let gap = 10.0
  /// What a card has below its picture, in points.
  public static let textHeight = 300.0
  /// From this width on there are two columns.
  public static let twoColumnWidth = 650.0

  /// Where each card is.
  public let frames: [Rect]
  /// How high all of it is, in points.
  public let height: Double
  // The cards of each column, downwards: their places rise.
  private let columns: [[Int]]

  /// The places of `count` cards of `corpus` in so many points.
  public init(_ corpus: CardCorpus, count: Int, width: Double) {
    let columnCount = width < Self.twoColumnWidth ? 1 : 2
    let across = Double(columnCount) * (Self.cardWidth + Self.gap) - Self.gap
    let left = max(0, (width - across) / 2)
    var bottoms = [Double](repeating: Self.gap, count: columnCount)
    var columns = [[Int]](repeating: [], count: columnCount)
    var frames: [Rect] = []
    for index in 0..<count {
      let column = bottoms[0] <= bottoms[columnCount - 1] ? 0 : columnCount - 1
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

  /// How high the picture of `card` is on it.
  public static func pictureHeight(of card: CardContent) -> Double {
    (cardWidth * Double(card.pixels.height) / Double(card.pixels.width)).rounded(.up)
  }

  /// How large `card` is.
  public static func size(of card: CardContent) -> Size {
    Size(width: cardWidth, height: pictureHeight(of: card) + textHeight)
  }

  /// The cards of which a part is between `top` and `bottom`, in their order.
  ///
  /// - Complexity: O(log n + those found).
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
