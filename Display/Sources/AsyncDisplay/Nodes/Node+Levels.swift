// The depth of a tree is limited. Trees are walked and released recursively,
// also on workers, whose stacks may be small.
extension Node {
  /// The highest number of levels in a tree, including its root.
  ///
  /// `addSubnode` traps beyond this limit. A program that builds a tree from
  /// untrusted content, such as nested replies, must check the depth first.
  public static let deepestTree = 256

  /// The number of ancestors.
  ///
  /// Call on the thread that builds the tree, or on the loop if the node is
  /// loaded.
  ///
  /// - Complexity: O(d) in the number of ancestors.
  public var level: Int {
    check("Node.level")
    var (count, node) = (0, supernode)
    while let each = node {
      count += 1
      node = each.supernode
    }
    return count
  }

  // Traps if `node` is this node or an ancestor of it, or if adding it would
  // make the tree too deep.
  func checkLevels(adding node: Node, _ operation: StaticString) {
    var (levels, ancestor) = (node.height, Node?.some(self))
    while let each = ancestor {
      require(
        each !== node,
        "\(operation): a node must not be added to itself or to a part of it; remove the part first"
      )
      levels += 1
      ancestor = each.supernode
    }
    require(
      levels <= Self.deepestTree,
      "\(operation): a tree must have no more than \(Self.deepestTree) levels, got \(levels)"
    )
  }

  /// Updates the heights and counts of the ancestors after `node` was added.
  func didAdd(_ node: Node) {
    rasterizingDidChange(by: node.rasterizingCount)
    var (part, ancestor) = (node, Node?.some(self))
    while let each = ancestor, each.height <= part.height {
      each.height = part.height + 1
      (part, ancestor) = (each, each.supernode)
    }
  }

  /// Updates the heights and counts of the ancestors after `node` was removed.
  func didRemove(_ node: Node) {
    rasterizingDidChange(by: -node.rasterizingCount)
    var (lost, ancestor) = (node.height, Node?.some(self))
    while let each = ancestor, each.height == lost + 1 {
      // Usually a sibling has the same height, and the ancestors' heights do
      // not change.
      var height = 1
      for part in each.subnodes where part.height >= height {
        height = part.height + 1
        if height == each.height { return }
      }
      (lost, ancestor) = (each.height, each.supernode)
      each.height = height
    }
  }

  /// Adds `count` to the number of rasterizing nodes of all ancestors.
  func rasterizingDidChange(by count: Int) {
    if count == 0 { return }
    var node: Node? = self
    while let each = node {
      each.rasterizingCount += count
      node = each.supernode
    }
  }
}

extension [Node] {
  /// Removes `node`, which occurs exactly once.
  ///
  /// - Complexity: O(1) if `node` is the last element, otherwise O(n). Compares
  ///   the elements before `node`, so it compares no elements if `node` is the
  ///   first.
  mutating func removeFirst(_ node: Node) {
    if last === node {
      removeLast()
    } else if let index = firstIndex(where: { $0 === node }) {
      remove(at: index)
    }
  }
}
