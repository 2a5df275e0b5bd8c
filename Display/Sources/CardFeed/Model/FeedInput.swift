package import AsyncDisplay

/// An input of the user. Positions and distances are in points.
package enum FeedInput: Hashable, Sendable {
  /// A finger or the mouse button went down.
  case pressed(Point)
  /// The finger or the mouse moved while it was down.
  case dragged(Point)
  /// The finger or the mouse button went up.
  case released(Point)
  /// The system took the touch away.
  case cancelled
  /// The wheel turned by a number of notches. A positive number scrolls down.
  case wheel(Double)
  /// A key went down.
  case keyDown(FeedKey)
  /// A key went up.
  case keyUp(FeedKey)
}

/// A key with a meaning for the feed.
package enum FeedKey: Hashable, Sendable {
  case up, down, pageUp, pageDown, home, end
  /// Stops the scroll.
  case stop
  /// Moves the focus to the next or the previous card.
  case next, previous
  /// Opens the details of the focused card.
  case open
  /// Closes the details.
  case close
  /// Likes the focused card, or takes that back.
  case like
}
