import LoopTransactions

// Preparation delays the display of a bitmap until every visible node in the
// bitmap is prepared. A node is prepared when its images are decoded.
//
// The node that owns the bitmap counts the nodes it waits for, so a node that
// becomes prepared does not have to check the other nodes. The owner counts
// again whenever a display begins or is requested. This also finds changes that
// were not announced.
extension Node {
  /// Notifies the node that `isPrepared` has changed. The bitmap that contains
  /// the node is drawn once all nodes in the bitmap are prepared.
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
  /// prepared. If the tree is detached, delays the display without preparing
  /// the nodes.
  func prepareParts() {
    isGivenUp = false
    preparePart(of: self, isSeen: true)
    holdUntilPrepared()
  }

  /// Prepares this node and its subnodes if their bitmap is already waiting for
  /// preparation, or if they are new in the bitmap.
  func prepareWithinPicture(isNew: Bool = false) {
    let picture = rasterizer
    guard let layer = picture.layer else { return }
    // Preparation was cancelled for the whole bitmap, and is resumed only for
    // the whole bitmap.
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

  /// Cancels preparation until another display is requested.
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

  // Hidden and transparent nodes, and their subnodes, are not drawn. If the root
  // of a bitmap is hidden, the bitmap is drawn but not composited. D9.
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
    // Begins all loads first, then waits for each load.
    ImageLoad.beginNow(parts)
    for part in parts where part.isAwaited {
      part.waitUntilPrepared()
      part.preparationDidChange()
    }
  }

  /// Notifies each ancestor whose last missing subnode has now been displayed.
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

  // Checked rather than counted, so that a removed subnode does not leave a
  // wrong count.
  private var isHierarchyDisplayed: Bool {
    if let layer, layer.core.state.isUnfinished { return false }
    if rasterizesSubtree { return true }
    // Starts at the subnode that was last found unfinished, so that all
    // displays together walk the subnodes once.
    for step in subnodes.indices {
      let index = (awaitedPart + step) % subnodes.count
      if subnodes[index].isHierarchyDisplayed { continue }
      awaitedPart = index
      return false
    }
    return true
  }
}
