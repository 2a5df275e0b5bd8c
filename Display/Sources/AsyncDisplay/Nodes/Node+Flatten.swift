import LoopTransactions

// Flattening replaces many bitmaps with one bitmap. D11.
extension Node {
  /// Merges the bitmaps of the subnodes that handle no events into one bitmap,
  /// on a worker.
  ///
  /// The bitmaps of the subnodes are released when the merged bitmap is shown.
  /// If one of the subnodes changes, all merged subnodes are displayed
  /// separately again. The merged bitmap stays visible until all of them have
  /// been displayed.
  ///
  /// A subnode is merged with its whole subtree, unless the subtree contains a
  /// control. A subnode in front of a control, or in front of any subnode that
  /// is not merged, is not merged either, so the order from back to front is
  /// preserved. Touch handling does not change.
  ///
  /// Call on the loop.
  ///
  /// - Returns: Whether flattening has begun. It does not begin if the node is
  ///   not loaded, is suspended or is detached, or if it or an ancestor
  ///   rasterizes its subtree. All affected subnodes must be displayed and must
  ///   have finished fading in, and there must be at least two bitmaps.
  /// - Complexity: O(n²) in the number of direct subnodes.
  @discardableResult
  public func flatten() -> Bool {
    check("Node.flatten")
    guard let display, !isRasterized, flat == nil else { return false }
    guard !isDetached, !isSuspended else { return false }
    let parts = restingParts()
    let now = display.loop.now
    var (count, isAtRest) = (0, parts.allSatisfy { $0.isShown })
    for layer in parts.flatMap(\.layers) where layer.contents != nil {
      count += 1
      if layer.contentsAlpha(at: now) < 1 { isAtRest = false }
    }
    guard count > 1, isAtRest, let first = parts.first else { return false }
    let extent = parts.dropFirst().reduce(first.extent) { $0.joined(to: $1.extent) }
    flat = FlatPicture(parts, covering: extent, of: self, in: display)
    return true
  }

  /// Whether subnodes are shown as one merged bitmap.
  ///
  /// Call on the loop.
  public var isFlattened: Bool { flat?.isFlat ?? false }

  /// Displays the subnodes that `flatten()` merged separately again.
  ///
  /// Call on the loop.
  public func unflatten() {
    check("Node.unflatten")
    flat?.unflatten()
  }

  /// Unflattens each ancestor's flattened picture that contains this node.
  func partDidChange() {
    var node = self
    while let parent = node.supernode {
      if let flat = parent.flat, flat.has(node) { flat.unflatten() }
      node = parent
    }
  }

  /// Notifies each ancestor's flattened picture that contains this node. The
  /// node may have been displayed.
  func partDidDisplay() {
    var node = self
    while let parent = node.supernode {
      if let flat = parent.flat, flat.has(node) { flat.partDidDisplay() }
      node = parent
    }
  }

  func dropFlat() { flat?.drop() }

  /// Whether the node and its subnodes are up to date.
  var isShown: Bool {
    var isShown = true
    forEachNode { if $0.layer?.core.state.isUnfinished == true { isShown = false } }
    return isShown
  }

  // Omits subnodes in front of a subnode that is not merged, because they would
  // move behind that subnode.
  private func restingParts() -> [Node] {
    var (parts, others) = ([Node](), [Rect]())
    for node in subnodes where node.frame.isValid {
      let extent = node.extent
      if node.answersNothing, !others.contains(where: { $0.overlaps(extent) }) {
        parts.append(node)
      } else if !parts.isEmpty {
        others.append(extent)
      }
    }
    return parts
  }

  private var answersNothing: Bool {
    // A subnode with a flattened picture of its own is not merged.
    !answersEvents && flat == nil && subnodes.allSatisfy { $0.answersNothing }
  }

  // The area that the node and its subnodes may cover, in the coordinates of
  // the node's supernode.
  private var extent: Rect {
    var extent = frame
    guard !clipsToBounds, cornerRadius <= 0 else { return extent }
    for node in subnodes where node.frame.isValid {
      var inner = node.extent
      inner.origin.x += frame.origin.x
      inner.origin.y += frame.origin.y
      extent = extent.joined(to: inner)
    }
    return extent
  }

  /// Appends the steps that draw the existing bitmaps of the node and its
  /// subnodes, as `composite(in:at:)` does.
  func appendBitmaps(to steps: inout [RasterStep]) {
    guard !isHidden, alpha > 0, frame.isValid else { return }
    let placement = RasterStep.Placement(
      origin: frame.origin,
      size: frame.size,
      alpha: min(alpha, 1),
      clips: false,
      cornerRadius: 0,
      background: nil
    )
    steps.append(.begin(placement))
    if let contents = layer?.contents {
      let rect = Rect(size: contents.size)
      let copy: DisplayTask.Display = { context, _, isCancelled in
        try context.draw(contents, in: rect, isCancelled: isCancelled)
      }
      steps.append(.draw(copy, rect))
    }
    if !rasterizesSubtree {
      if clipsToBounds || cornerRadius > 0 {
        steps.append(.clip(contentRect, radius: cornerRadius))
      }
      for node in subnodes { node.appendBitmaps(to: &steps) }
    }
    steps.append(.end(placement))
  }
}

extension Rect {
  fileprivate func overlaps(_ other: Rect) -> Bool {
    origin.x < other.maxX && other.origin.x < maxX && origin.y < other.maxY
      && other.origin.y < maxY
  }
}
