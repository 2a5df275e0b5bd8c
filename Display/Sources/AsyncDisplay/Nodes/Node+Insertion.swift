// Subnodes at a given position.
extension Node {
  /// Inserts `node` at `index` of `subnodes`. First removes `node` from its
  /// previous supernode.
  ///
  /// Afterwards `subnodes[index]` is `node`. If `node` is a subnode of this node
  /// already, it moves there, and `index` counts the other subnodes only. In all
  /// other respects this function works like `addSubnode(_:)`. In a
  /// `BandedNode`, the bands stay behind all other subnodes.
  ///
  /// Call on the thread that builds the tree, or on the loop if this node is
  /// loaded.
  ///
  /// - Precondition: `index` is at least 0 and at most the number of subnodes
  ///   besides `node`. Otherwise as for `addSubnode(_:)`.
  /// - Complexity: As `addSubnode(_:)`, and O(n) in the subnodes.
  public func insertSubnode(_ node: Node, at index: Int) {
    check("Node.insertSubnode")
    let count = node.supernode === self ? subnodes.count - 1 : subnodes.count
    require(
      (0...count).contains(index),
      "Node.insertSubnode: the index must be from 0 to \(count), got \(index)"
    )
    insert(node, "Node.insertSubnode") { _ in index }
  }

  /// Inserts `node` directly behind `sibling`, which is a subnode of this node.
  /// First removes `node` from its previous supernode.
  ///
  /// If `node` is a subnode of this node already, it moves. In all other
  /// respects this function works like `addSubnode(_:)`.
  ///
  /// Call on the thread that builds the tree, or on the loop if this node is
  /// loaded.
  ///
  /// - Precondition: `sibling` is a subnode of this node, and not `node`.
  ///   Otherwise as for `addSubnode(_:)`.
  /// - Complexity: As `addSubnode(_:)`, and O(n) in the subnodes.
  public func insertSubnode(_ node: Node, below sibling: Node) {
    checkSibling(sibling, of: node)
    insert(node, "Node.insertSubnode") { $0.firstIndex { $0 === sibling } ?? $0.count }
  }

  /// Inserts `node` directly in front of `sibling`, which is a subnode of this
  /// node. First removes `node` from its previous supernode.
  ///
  /// If `node` is a subnode of this node already, it moves. In all other
  /// respects this function works like `addSubnode(_:)`.
  ///
  /// Call on the thread that builds the tree, or on the loop if this node is
  /// loaded.
  ///
  /// - Precondition: `sibling` is a subnode of this node, and not `node`.
  ///   Otherwise as for `addSubnode(_:)`.
  /// - Complexity: As `addSubnode(_:)`, and O(n) in the subnodes.
  public func insertSubnode(_ node: Node, above sibling: Node) {
    checkSibling(sibling, of: node)
    insert(node, "Node.insertSubnode") { $0.index(inFrontOf: sibling) }
  }

  /// Removes the subnode `old` and inserts `node` at its position.
  ///
  /// Removes `old` as `removeFromSupernode()` does, after `node` has left its
  /// previous supernode. `node` may be another subnode of this node, which then
  /// moves, or a part of `old`, which then takes its place. Does nothing if
  /// `node` is `old`.
  ///
  /// Call on the thread that builds the tree, or on the loop if this node is
  /// loaded.
  ///
  /// - Precondition: `old` is a subnode of this node. Otherwise as for
  ///   `addSubnode(_:)`.
  /// - Complexity: As `addSubnode(_:)` and `removeFromSupernode()`, and O(n) in
  ///   the subnodes.
  public func replaceSubnode(_ old: Node, with node: Node) {
    check("Node.replaceSubnode")
    require(
      old.supernode === self,
      "Node.replaceSubnode: the node to replace must be a subnode of this node; add it first"
    )
    guard node !== old else { return }
    insert(node, "Node.replaceSubnode") { $0.index(inFrontOf: old) }
    // A callback of a cancelled display may have removed it.
    if old.supernode === self { old.removeFromSupernode() }
  }

  private func checkSibling(_ sibling: Node, of node: Node) {
    check("Node.insertSubnode")
    require(
      sibling !== node,
      "Node.insertSubnode: a node must not be inserted above or below itself; pass another subnode"
    )
    require(
      sibling.supernode === self,
      """
      Node.insertSubnode: the node above or below which to insert must be a subnode of this node; \
      add it first
      """
    )
  }

  /// Inserts `node` at the index that `position` returns for the other
  /// subnodes. First removes `node` from its previous supernode.
  func insert(_ node: Node, _ operation: StaticString, at position: ([Node]) -> Int) {
    check(operation)
    checkLevels(adding: node, operation)
    require(
      !(node.rasterizingCount > 0 && isRasterized),
      "\(operation): rasterizesSubtree must not be set within a node that rasterizes"
    )
    let (old, keeps) = (node.supernode, keepsLayers(of: node))
    node.leaveSupernode(unloading: !keeps)
    // A loaded root would be drawn twice, into its own layer and into this
    // bitmap.
    if node.isLoaded, !keeps { node.unload() }
    // The flattened picture may contain nodes that are behind or in front of
    // `node`.
    unflatten()
    // Limited to the subnodes, because a callback may have removed some.
    let index = min(max(position(subnodes), backmostIndex), subnodes.count)
    subnodes.insert(node, at: index)
    node.supernode = self
    didAdd(node)
    setNeedsLayout()
    guard let display else { return }
    if keeps {
      node.scale = scale
      if isRasterized { node.prepareWithinPicture(isNew: true) }
      if old !== self { node.inheritState(of: self, isRoot: old == nil) }
    } else {
      node.load(in: display, scale: scale)
    }
  }

  // As in Texture, moving a loaded node does not unload it.
  private func keepsLayers(of node: Node) -> Bool {
    guard node.isLoaded, node.display === display else { return false }
    guard let parent = node.supernode else { return !isRasterized }
    return parent.isRasterized ? parent.rasterizer === rasterizer : !isRasterized
  }
}

extension [Node] {
  /// The index directly in front of `node`, or the end if `node` is not an
  /// element.
  fileprivate func index(inFrontOf node: Node) -> Int {
    firstIndex { $0 === node }.map { $0 + 1 } ?? count
  }
}
