import LoopTransactions

// What a display waits for: of every part that is seen in a bitmap, what it draws.
//
// A picture counts those that it waits for, so that one that comes asks nobody else. Where
// a display begins, or is asked for, they are counted anew: what was changed without a
// word is found then.
extension Node {
  /// Says that `isPrepared` changed: the picture that it is part of is drawn once all
  /// of it is prepared.
  ///
  /// Call on the loop.
  ///
  /// - Complexity: O(d) in the nodes above it.
  public func preparationDidChange() {
    check("Node.preparationDidChange")
    let picture = rasterizer
    setAwaited(isDrawn(in: picture) && !isPrepared, by: picture)
    picture.holdUntilPrepared()
  }

  /// Begins to get what its bitmap lacks, and has the display wait for that. In a tree
  /// that is detached, has it wait only.
  func prepareParts() {
    isGivenUp = false
    preparePart(of: self, isSeen: true)
    holdUntilPrepared()
  }

  /// Does so for it and its parts alone, which are part of a picture that waits, or are
  /// new in it.
  func prepareWithinPicture(isNew: Bool = false) {
    let picture = rasterizer
    guard let layer = picture.layer else { return }
    // Whoever asks for what was given up gets all of it.
    guard isNew || (layer.core.state.holds.contains(.preparing) && !picture.isGivenUp) else {
      return
    }
    preparePart(of: picture, isSeen: isDrawn(in: picture))
    picture.holdUntilPrepared()
  }

  /// Is not waited for any more by `picture`, of which it was a part, with all its parts.
  func leave(_ picture: Node) {
    forEachNode { $0.setAwaited(false, by: picture) }
    picture.holdUntilPrepared()
  }

  /// Stops getting what it draws, until that is asked for.
  func giveUpPreparing() {
    cancelPreparing()
    isGivenUp = true
  }

  private func preparePart(of picture: Node, isSeen: Bool) {
    if isSeen, !isPrepared {
      if picture.layer?.isDetached == true { picture.isGivenUp = true } else { prepare() }
    }
    setAwaited(isSeen && !isPrepared, by: picture)
    guard picture.rasterizesSubtree else { return }
    for node in subnodes { node.preparePart(of: picture, isSeen: isSeen && node.isSeen) }
  }

  private func holdUntilPrepared() {
    layer?.setHold(.preparing, awaitedCount > 0, "Node.preparationDidChange")
  }

  private func setAwaited(_ isAwaited: Bool, by picture: Node) {
    guard self.isAwaited != isAwaited else { return }
    self.isAwaited = isAwaited
    picture.awaitedCount += isAwaited ? 1 : -1
  }

  // D9: what is hidden or transparent is not drawn, and neither are its parts. A bitmap of
  // its own is hidden by its compositor.
  private var isSeen: Bool { !isHidden && alpha > 0 }

  private func isDrawn(in picture: Node) -> Bool {
    var node = self
    while node !== picture {
      guard node.isSeen, let parent = node.supernode else { return false }
      node = parent
    }
    return true
  }
}

// How its layer asks.
extension Node: LayerOwner {
  func beforeDisplay() {
    layOutIfNeeded()
    prepareParts()
  }

  func layerIsAsked() {
    guard let layer else { return }
    // Its bitmap is not its own now.
    if layer.core.state.holds.contains(.flattened) { partDidChange() }
    if isGivenUp, !layer.isDetached { prepareParts() }
  }

  func waitForParts() {
    guard awaitedCount > 0 else { return }
    var parts: [Node] = []
    forEachNode { if $0.isAwaited, $0.rasterizer === self { parts.append($0) } }
    // All at once, then one after the other.
    ImageLoad.hasten(parts)
    for part in parts where part.isAwaited {
      part.waitUntilPrepared()
      part.preparationDidChange()
    }
  }

  /// Tells those above of whom this was the last part to be displayed.
  func displayDidEnd() {
    partDidDisplay()
    var node: Node? = self
    while let each = node {
      guard each.isHierarchyDisplayed else { return }
      if !each.hasDisplayedHierarchy {
        each.hasDisplayedHierarchy = true
        each.hierarchyDidDisplay()
      }
      node = each.supernode
    }
  }

  // Asked, not counted: a part that goes leaves no count behind.
  private var isHierarchyDisplayed: Bool {
    if let layer, layer.core.state.isUnfinished { return false }
    if rasterizesSubtree { return true }
    // From the one that was awaited last: a walk for all that come, not for each.
    for step in subnodes.indices {
      let index = (awaitedPart + step) % subnodes.count
      if subnodes[index].isHierarchyDisplayed { continue }
      awaitedPart = index
      return false
    }
    return true
  }
}
