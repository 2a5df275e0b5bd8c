import LoopTransactions

// Many bitmaps of what rests become one. D11.
extension Node {
  /// Makes one bitmap of those of its parts that answer no event, off the loop, of the
  /// bitmaps that they have; these are let go of once it is shown. As soon as one of the
  /// parts changes they come apart: each is displayed on its own again, and the one
  /// bitmap is shown until all of them are.
  ///
  /// Parts are taken with all that is in them, and none that has a control in it. One
  /// that lies in front of a control, or of anything else that is left out, is left out
  /// as well: what is in front stays in front. Touches do not notice.
  ///
  /// Call on the loop.
  ///
  /// - Returns: Whether it was begun. Not in a node that is not loaded, or rasterizes, and
  ///   is one bitmap anyway, or is suspended or detached; not before all of its parts are
  ///   displayed, and have faded in; not with fewer than two bitmaps.
  /// - Complexity: O(n²) in its direct parts.
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

  /// Whether parts of it are shown as one bitmap, and have none of their own.
  ///
  /// Call on the loop.
  public var isFlattened: Bool { flat?.isFlat ?? false }

  /// Has parts that `flatten` made one bitmap of be displayed on their own again.
  ///
  /// Call on the loop.
  public func comeApart() {
    check("Node.comeApart")
    flat?.comeApart()
  }

  /// Those who are flattened into a picture above come apart.
  func partDidChange() {
    var node = self
    while let parent = node.supernode {
      if let flat = parent.flat, flat.has(node) { flat.comeApart() }
      node = parent
    }
  }

  /// Those who came apart above may have been displayed by now.
  func partDidDisplay() {
    var node = self
    while let parent = node.supernode {
      if let flat = parent.flat, flat.has(node) { flat.partDidDisplay() }
      node = parent
    }
  }

  func dropFlat() { flat?.drop() }

  /// Whether it and its parts show their newest.
  var isShown: Bool {
    var isShown = true
    forEachNode { if $0.layer?.core.state.isUnfinished == true { isShown = false } }
    return isShown
  }

  // Without those that are before something that is left out: in front they would be
  // behind it.
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
    // What it has flattened comes apart on its own.
    !answersEvents && flat == nil && subnodes.allSatisfy { $0.answersNothing }
  }

  // All that it and its parts may cover, in its supernode's coordinates.
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

  /// The steps that draw the bitmaps that it and its parts have, as a compositor does.
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
