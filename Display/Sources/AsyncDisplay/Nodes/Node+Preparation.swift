import LoopTransactions

// Preparation: the display of a bitmap waits until every visible node in it is
// prepared, which means that its images are decoded.
//
// The node that owns the bitmap counts the nodes it waits for, so a node that
// becomes prepared need not ask the others. The count is renewed whenever a
// display begins or is requested, which also finds changes that were not
// announced.
extension Node {
  /// Notifies the node that `isPrepared` has changed. The bitmap that includes
  /// the node is drawn once all its nodes are prepared.
  ///
  /// Call on the loop.
  ///
  /// - Complexity: O(d) in the number of ancestors.
  public func preparationDidChange() {
    check("Node.preparationDidChange")
    let picture = rasterizer
    setAwaited(isDrawn(in: picture) && !isPrepared, by: picture)
    picture.holdUntilPrepared()
  }

  /// Prepares the nodes of this bitmap and delays the display until they are
  /// prepared. In a detached tree, only delays the display.
  func prepareParts() {
    isGivenUp = false
    preparePart(of: self, isSeen: true)
    holdUntilPrepared()
  }

  /// Prepares this node and its subnodes, if they are part of a bitmap that is
  /// already waiting, or are new in it.
  func prepareWithinPicture(isNew: Bool = false) {
    let picture = rasterizer
    guard let layer = picture.layer else { return }
    // Preparation was given up for the whole bitmap, and is resumed for the
    // whole bitmap.
    guard isNew || (layer.core.state.holds.contains(.preparing) && !picture.isGivenUp) else {
      return
    }
    preparePart(of: picture, isSeen: isDrawn(in: picture))
    picture.holdUntilPrepared()
  }

  /// Removes this node and its subnodes from the nodes that `picture` waits
  /// for, because they are no longer part of it.
  func leave(_ picture: Node) {
    forEachNode { $0.setAwaited(false, by: picture) }
    picture.holdUntilPrepared()
  }

  /// Cancels preparation until a display is requested.
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

  // D9: hidden and transparent nodes, and their subnodes, are not drawn. The
  // root of a bitmap is hidden by the compositor instead.
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

// Requests of the layer.
extension Node: LayerOwner {
  func beforeDisplay() {
    layOutIfNeeded()
    prepareParts()
  }

  func displayWasRequested() {
    guard let layer else { return }
    // The layer is part of a flattened picture and has no bitmap of its own.
    if layer.core.state.holds.contains(.flattened) { partDidChange() }
    if isGivenUp, !layer.isDetached { prepareParts() }
  }

  func waitForParts() {
    guard awaitedCount > 0 else { return }
    var parts: [Node] = []
    forEachNode { if $0.isAwaited, $0.rasterizer === self { parts.append($0) } }
    // Begin all of them first, then wait for each.
    ImageLoad.beginNow(parts)
    for part in parts where part.isAwaited {
      part.waitUntilPrepared()
      part.preparationDidChange()
    }
  }

  /// Notifies each ancestor whose last subnode has now been displayed.
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

  // Checked, not counted, so that a removed subnode leaves no stale count.
  private var isHierarchyDisplayed: Bool {
    if let layer, layer.core.state.isUnfinished { return false }
    if rasterizesSubtree { return true }
    // Starts at the subnode that was last found unfinished. This walks the
    // subnodes once for all displays, not once for each.
    for step in subnodes.indices {
      let index = (awaitedPart + step) % subnodes.count
      if subnodes[index].isHierarchyDisplayed { continue }
      awaitedPart = index
      return false
    }
    return true
  }
}
