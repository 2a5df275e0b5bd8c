package import CardFeed

/// A screen that shows a feed and delivers its user's input.
package protocol FeedScreen: AnyObject {
  /// The size of the surface. It changes when the user resizes a window.
  var size: WindowSize { get throws }

  /// The descriptor that becomes readable when events arrive, or nil if events
  /// must be polled.
  var descriptor: Int32? { get }

  /// Returns the events since the last call.
  func takeEvents() -> [WindowEvent]

  /// Paints and shows the changes of the latest scene of `history`.
  ///
  /// - Parameter isNew: Whether the scene was added since the last call.
  func show(_ history: SceneHistory, isNew: Bool) throws
}
