// Parts, and places.
extension Node {
  /// Adds `node` in front of the other parts, taking it from where it was.
  ///
  /// If this is loaded, what is added is held as this is, and comes by its priority. One
  /// that only moves within what is loaded, or was loaded as a tree of its own, keeps its
  /// layers and what they show, unless it comes into a bitmap, or from one. Moved to
  /// another supernode it is held as that is; the holds and the priority of a tree of its
  /// own stay, but where this is suspended or detached, so is that.
  ///
  /// Call on the thread that builds the tree; on the loop if this is loaded.
  ///
  /// - Precondition: It is not this node, nor one that it is part of. Both trees together
  ///   have no more than `deepestTree` levels.
  /// - Complexity: O(d) in the nodes above this, `deepestTree` at most. O(n) in the siblings
  ///   of `node` if it had a supernode, and in its parts if this is loaded.
  public func addSubnode(_ node: Node) {
    check("Node.addSubnode")
    checkLevels(adding: node)
    require(
      !(node.rasterizingCount > 0 && isRasterized),
      "Node.addSubnode: rasterizesSubtree must not be set within a node that rasterizes"
    )
    let (old, keeps) = (node.supernode, keepsLayers(of: node))
    node.leaveSupernode(unloading: !keeps)
    // A root of its own: it would be drawn into both its layer and this picture.
    if node.isLoaded, !keeps { node.unload() }
    // What it covers, or is covered by, may be in the picture.
    comeApart()
    subnodes.append(node)
    node.supernode = self
    didAdd(node)
    setNeedsLayout()
    guard let display else { return }
    if keeps {
      node.scale = scale
      if isRasterized { node.prepareWithinPicture(isNew: true) }
      if old !== self { node.follow(self, isRoot: old == nil) }
    } else {
      node.load(in: display, scale: scale)
    }
  }

  // Texture's test 34: what only moves is not unloaded.
  private func keepsLayers(of node: Node) -> Bool {
    guard node.isLoaded, node.display === display else { return false }
    guard let parent = node.supernode else { return !isRasterized }
    return parent.isRasterized ? parent.rasterizer === rasterizer : !isRasterized
  }

  /// Takes it from its supernode. Its displays are cancelled, and its layers dropped.
  ///
  /// Call as `addSubnode`.
  public func removeFromSupernode() {
    check("Node.removeFromSupernode")
    leaveSupernode(unloading: true)
  }

  private func leaveSupernode(unloading: Bool) {
    guard let parent = supernode else { return }
    let picture = isRasterized && !rasterizesSubtree ? rasterizer : nil
    // Those it is shown by, and those that it may be in front of.
    partDidChange()
    parent.comeApart()
    parent.subnodes.removeFirst(self)
    supernode = nil
    parent.didRemove(self)
    parent.flat?.partDidDisplay()
    if unloading {
      if let picture { leave(picture) }
      unload()
    }
    picture?.setNeedsDisplay()
    parent.setNeedsLayout()
  }

  /// Says that its parts have to be placed anew.
  ///
  /// Call as `addSubnode`.
  public func setNeedsLayout() {
    check("Node.setNeedsLayout")
    needsLayout = true
    setNeedsDisplay()
  }

  /// Places parts where that is needed, in all of the tree below.
  ///
  /// Call as `addSubnode`. A display does so, too.
  public func layOutIfNeeded() {
    check("Node.layOutIfNeeded")
    if needsLayout {
      needsLayout = false
      layOut()
    }
    for node in subnodes { node.layOutIfNeeded() }
  }

  /// Its own coordinates: its size, from zero.
  public var bounds: Rect { Rect(size: frame.size) }

  /// Whether it is loaded, and belongs to the loop.
  public var isLoaded: Bool { display != nil }

  /// Calls `body` with it and all of its parts, those behind others first.
  public func forEachNode(_ body: (Node) throws -> Void) rethrows {
    try body(self)
    for node in subnodes { try node.forEachNode(body) }
  }

  /// The node whose layer shows it: itself, or the ancestor that rasterizes it.
  var rasterizer: Node {
    var node: Node? = self
    while let each = node {
      if each.rasterizesSubtree { return each }
      node = each.supernode
    }
    return self
  }

  /// Whether it, or an ancestor, draws all below it in one bitmap.
  var isRasterized: Bool { rasterizer.rasterizesSubtree }

  /// Traps off the loop's thread if it is loaded.
  func check(_ operation: StaticString) { display?.check(operation) }
}

// Changes.
extension Node {
  func frameDidChange(from old: Rect) {
    check("Node.frame")
    // D-40d: what only moves is not drawn anew.
    if frame.size != old.size {
      layer?.bounds = frame.size
      setNeedsLayout()
    } else {
      placeDidChange("Node.frame")
    }
  }

  /// Its supernode shows it differently; it is the same.
  func placeDidChange(_ operation: StaticString) {
    check(operation)
    partDidChange()
    // Parts that come to be seen are wanted, those that are not any more not waited for.
    prepareWithinPicture()
    if isRasterized, !rasterizesSubtree { rasterizer.setNeedsDisplay() }
  }
}
