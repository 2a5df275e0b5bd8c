public import LoopTransactions

extension Node {
  /// Draws the node and its subnodes, as shown at `instant`, into `context` in
  /// the coordinates of its supernode.
  ///
  /// Contents that fade in are drawn with their current opacity over the
  /// placeholder. Call on the loop. A window calls this for each frame, and
  /// tests call it to check the output.
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
        // `restore()` fails while a group is open.
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
      // Contents are already clipped when they are drawn. Clipping them again
      // would thin the edges.
      try context.draw(contents, in: Rect(size: contents.size), alpha: opacity)
    }
    if !rasterizesSubtree {
      try context.saved {
        clip(context)
        try compositeParts(in: context, at: instant)
      }
    }
    // The placeholder covers the node until all parts have been displayed.
    if !hasDisplayedHierarchy { try drawPlaceholder(in: context) }
  }

  private func compositeParts(
    in context: DrawingContext,
    at instant: LoopClock.Instant
  ) throws {
    // The flattened picture is drawn in place of its first part.
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
