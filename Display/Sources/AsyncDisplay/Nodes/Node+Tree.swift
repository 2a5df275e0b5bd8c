// Subnodes and layout.
extension Node {
  /// Adds `node` in front of the other subnodes. First removes `node` from its
  /// previous supernode.
  ///
  /// If this node is loaded, `node` is loaded, too. It takes over the priority
  /// of this node, and whether this node is suspended or detached. If `node` is
  /// already loaded, it keeps its layers and contents, unless it moves into or
  /// out of a rasterized bitmap. If `node` was the root of a loaded tree, it
  /// keeps its own priority, and stays suspended or detached if it was.
  ///
  /// Call on the thread that builds the tree, or on the loop if this node is
  /// loaded.
  ///
  /// - Precondition: `node` is neither this node nor an ancestor of it. Both
  ///   trees together have at most `deepestTree` levels.
  /// - Complexity: O(d) in the number of ancestors, at most `deepestTree`. If
  ///   `node` had a supernode, O(n) in its siblings. If this node is loaded,
  ///   O(n) in the subtree of `node`.
  public func addSubnode(_ node: Node) { insert(node, "Node.addSubnode") { $0.count } }

  /// Removes the node from its supernode. Cancels its displays and removes its
  /// layers.
  ///
  /// Call on the thread that builds the tree, or on the loop if the node is
  /// loaded.
  public func removeFromSupernode() {
    check("Node.removeFromSupernode")
    leaveSupernode(unloading: true)
  }

  /// Removes the node from its supernode. Keeps its layers and displays, unless
  /// `unloading` is true.
  func leaveSupernode(unloading: Bool) {
    guard let parent = supernode else { return }
    let picture = isRasterized && !rasterizesSubtree ? rasterizer : nil
    // Unflattens the pictures that contain the node, and the pictures of nodes
    // that it may cover.
    partDidChange()
    parent.unflatten()
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

  /// Marks the layout of the subnodes as out of date.
  ///
  /// Call on the thread that builds the tree, or on the loop if the node is
  /// loaded.
  public func setNeedsLayout() {
    check("Node.setNeedsLayout")
    needsLayout = true
    setNeedsDisplay()
  }

  /// Lays out all nodes of the subtree whose layout is out of date.
  ///
  /// Call on the thread that builds the tree, or on the loop if the node is
  /// loaded. Displays call it automatically.
  public func layOutIfNeeded() {
    check("Node.layOutIfNeeded")
    if needsLayout {
      needsLayout = false
      layOut()
    }
    for node in subnodes { node.layOutIfNeeded() }
  }

  /// The rectangle of the node in its own coordinates. It has the node's size,
  /// and its origin is zero.
  public var bounds: Rect { Rect(size: frame.size) }

  /// Whether the node is loaded, and therefore belongs to the loop.
  public var isLoaded: Bool { display != nil }

  /// Calls `body` with the node and all its subnodes, from back to front.
  public func forEachNode(_ body: (Node) throws -> Void) rethrows {
    try body(self)
    for node in subnodes { try node.forEachNode(body) }
  }

  /// The node whose layer shows this node. It is either an ancestor that
  /// rasterizes its subtree, or the node itself.
  var rasterizer: Node {
    var node: Node? = self
    while let each = node {
      if each.rasterizesSubtree { return each }
      node = each.supernode
    }
    return self
  }

  /// Whether the node or an ancestor rasterizes its subtree.
  var isRasterized: Bool { rasterizer.rasterizesSubtree }

  /// Traps if the node is loaded and the caller is not on the loop's thread.
  func check(_ operation: StaticString) { display?.check(operation) }
}

// Changes.
extension Node {
  func frameDidChange(from old: Rect) {
    check("Node.frame")
    // A node that moves without changing its size is not redrawn.
    if frame.size != old.size {
      layer?.size = frame.size
      setNeedsLayout()
    } else {
      placeDidChange("Node.frame")
    }
  }

  /// Called when the node's appearance in its supernode changes, but not its
  /// own content.
  func placeDidChange(_ operation: StaticString) {
    check(operation)
    partDidChange()
    // Prepares nodes that became visible, and stops waiting for nodes that
    // became hidden.
    prepareWithinPicture()
    if isRasterized, !rasterizesSubtree { rasterizer.setNeedsDisplay() }
  }
}
