package import AsyncDisplay

/// The places of the parts of a card and of the details view, in points.
package enum FeedParts {
  /// The radius of the corners of cards and of the details view.
  package static let cornerRadius = 12.0
  /// The side of the square like and close buttons.
  package static let buttonSize = 40.0
  // The distance of a button from the edges.
  private static let buttonMargin = 10.0

  /// Returns the like button of a card with `frame`: at its top right.
  package static func like(in frame: Rect) -> Rect { button(0, in: frame) }

  /// Returns the panel of the details view in a window of `size`.
  package static func panel(in size: Size) -> Rect {
    let width = min(size.width, widestPanel)
    // A panel that leaves only a narrow margin fills the window instead.
    let isWide = size.width - width >= 2 * panelMargin
    let margin = isWide ? panelMargin : 0
    return Rect(
      x: ((size.width - width) / 2).rounded(.down),
      y: margin,
      width: width,
      height: max(1, size.height - 2 * margin)
    )
  }

  /// Returns the close button of a details view with `panel`.
  package static func close(in panel: Rect) -> Rect { button(0, in: panel) }

  /// Returns the like button of a details view with `panel`.
  package static func detailsLike(in panel: Rect) -> Rect { button(1, in: panel) }

  private static let (widestPanel, panelMargin) = (720.0, 24.0)

  private static func button(_ place: Double, in frame: Rect) -> Rect {
    Rect(
      x: frame.maxX - (place + 1) * (buttonSize + buttonMargin),
      y: frame.origin.y + buttonMargin,
      width: buttonSize,
      height: buttonSize
    )
  }
}

extension Rect {
  /// Returns whether `point` is inside.
  func holds(_ point: Point) -> Bool {
    point.x >= origin.x && point.x < maxX && point.y >= origin.y && point.y < maxY
  }
}
