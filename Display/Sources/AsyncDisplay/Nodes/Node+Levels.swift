// How deep a tree is. Trees are walked by recursion, also where they are released, on
// workers whose stacks may be small.
extension Node {
  /// The most levels of a tree, its root included.
  ///
  /// `addSubnode` traps beyond that. A program that builds a tree from other people's
  /// content, such as nested replies, must not exceed it.
  public static let deepestTree = 256

  /// How many nodes are above it.
  ///
  /// Call on the thread that builds the tree; on the loop if it is loaded.
  ///
  /// - Complexity: O(d) in these.
  public var level: Int {
    check("Node.level")
    var (count, node) = (0, supernode)
    while let each = node {
      count += 1
      node = each.supernode
    }
    return count
  }

  // Traps if `node` has this in it, or if the tree would be too deep with it.
  func checkLevels(adding node: Node) {
    var (levels, ancestor) = (node.height, Node?.some(self))
    while let each = ancestor {
      require(each !== node, "Node.addSubnode: a node cannot be part of itself")
      levels += 1
      ancestor = each.supernode
    }
    require(
      levels <= Self.deepestTree,
      "Node.addSubnode: a tree must have no more than \(Self.deepestTree) levels, got \(levels)"
    )
  }

  /// Counts `node`, which is a part of this now.
  func didAdd(_ node: Node) {
    rasterizingDidChange(by: node.rasterizingCount)
    var (part, ancestor) = (node, Node?.some(self))
    while let each = ancestor, each.height <= part.height {
      each.height = part.height + 1
      (part, ancestor) = (each, each.supernode)
    }
  }

  /// Does not count `node` any more, which was a part of this.
  func didRemove(_ node: Node) {
    rasterizingDidChange(by: -node.rasterizingCount)
    var (lost, ancestor) = (node.height, Node?.some(self))
    while let each = ancestor, each.height == lost + 1 {
      // Most often a sibling is as high: then nothing changes above.
      var height = 1
      for part in each.subnodes where part.height >= height {
        height = part.height + 1
        if height == each.height { return }
      }
      (lost, ancestor) = (each.height, each.supernode)
      each.height = height
    }
  }

  /// So many more nodes of its tree rasterize.
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
  /// Removes `node`, which is in it once.
  ///
  /// - Complexity: O(1) for the last and O(n) in the others otherwise, none of which is asked
  ///   if `node` is the first.
  mutating func removeFirst(_ node: Node) {
    if last === node {
      removeLast()
    } else if let index = firstIndex(where: { $0 === node }) {
      remove(at: index)
    }
  }
}
