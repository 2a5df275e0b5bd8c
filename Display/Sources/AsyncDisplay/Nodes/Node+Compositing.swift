public import LoopTransactions

extension Node {
  /// Draws what it and its parts show at `instant` into `context`, in its supernode's
  /// coordinates: contents as far as they have faded in, placeholders until then.
  ///
  /// Call on the loop. What a window does for each frame, and a test to look at it.
  ///
  /// - Throws: `DisplayError` if Cairo fails.
  public func composite(in context: DrawingContext, at instant: LoopClock.Instant) throws {
    check("Node.composite")
    guard isLoaded, !isHidden, alpha > 0, frame.isValid else { return }
    try context.saved {
      context.translate(x: frame.origin.x, y: frame.origin.y)
      let isGroup = alpha < 1
      if isGroup { context.beginGroup() }
      do {
        try drawContents(in: context, at: instant)
      } catch {
        // An open group can not be restored out of.
        if isGroup { context.endGroup(alpha: 0) }
        throw error
      }
      if isGroup { context.endGroup(alpha: alpha) }
    }
  }

  private func drawContents(in context: DrawingContext, at instant: LoopClock.Instant) throws {
    if let layer, let contents = layer.contents {
      let opacity = layer.contentsAlpha(at: instant)
      if opacity < 1 { try drawPlaceholder(in: context) }
      // Clipped by who drew them: a second time would thin their edges.
      try context.draw(contents, in: Rect(size: contents.size), alpha: opacity)
    }
    if !rasterizesSubtree {
      try context.saved {
        clip(context)
        try compositeParts(in: context, at: instant)
      }
    }
    // D13: over all of it, until the last part was displayed.
    if !hasDisplayedHierarchy { try drawPlaceholder(in: context) }
  }

  private func compositeParts(
    in context: DrawingContext,
    at instant: LoopClock.Instant
  ) throws {
    // In front of those that are behind the first of its parts.
    var isDrawn = false
    for node in subnodes {
      guard let flat, flat.isShown, flat.has(node) else {
        try node.composite(in: context, at: instant)
        continue
      }
      if !isDrawn { try flat.draw(in: context) }
      isDrawn = true
    }
  }

  private func drawPlaceholder(in context: DrawingContext) throws {
    guard let placeholder else { return }
    try context.saved {
      clip(context)
      try context.draw(placeholder, in: contentRect)
    }
  }

  private func clip(_ context: DrawingContext) {
    guard clipsToBounds || cornerRadius > 0 else { return }
    context.clip(to: contentRect, radius: cornerRadius)
  }
}
