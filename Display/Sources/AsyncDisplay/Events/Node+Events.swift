// Hit testing. A node that is drawn into an ancestor's bitmap is treated like a
// node with its own layer.
extension Node {
  /// Returns the frontmost node at `point` that handles events, or nil if there
  /// is none.
  ///
  /// Hidden, transparent and clipped nodes are skipped. A node that handles no
  /// events does not block the nodes behind it.
  ///
  /// Call on the thread that builds the tree, or on the loop if the node is
  /// loaded.
  ///
  /// - Parameter point: A point in the node's coordinates.
  /// - Complexity: O(n) in the subtree.
  public func hitTest(_ point: Point) -> Node? {
    check("Node.hitTest")
    guard !isHidden, alpha > 0, frame.isValid, point.x.isFinite, point.y.isFinite else {
      return nil
    }
    // Subnodes are clipped to the content rectangle, even if `contains(_:)` is
    // overridden.
    if clipsToBounds || cornerRadius > 0 {
      guard contentRect.contains(point, radius: cornerRadius) else { return nil }
    }
    for node in subnodes.reversed() {
      let origin = node.frame.origin
      if let hit = node.hitTest(Point(x: point.x - origin.x, y: point.y - origin.y)) { return hit }
    }
    return contains(point) && answersEvents ? self : nil
  }

  /// Converts `point` from the coordinates of `ancestor`'s supernode to this
  /// node's. Returns nil if this node is not part of `ancestor`.
  func convert(_ point: Point, from ancestor: Node) -> Point? {
    var (point, node) = (point, Node?.some(self))
    while let each = node {
      point = Point(x: point.x - each.frame.origin.x, y: point.y - each.frame.origin.y)
      if each === ancestor { return point }
      node = each.supernode
    }
    return nil
  }
}

extension Rect {
  /// Returns whether `point` is inside the node's bounds with corners rounded
  /// by `radius`. Points on the left and top edges are inside. Points on the
  /// right and bottom edges are outside.
  func contains(_ point: Point, radius: Double = 0) -> Bool {
    let (x, y) = (point.x - origin.x, point.y - origin.y)
    guard x >= 0, y >= 0, x < size.width, y < size.height else { return false }
    let radius = min(radius, size.width / 2, size.height / 2)
    guard radius > 0 else { return true }
    // How far the point lies beyond the centre of the nearest corner arc.
    let across = max(radius - x, x - (size.width - radius), 0)
    let down = max(radius - y, y - (size.height - radius), 0)
    return across * across + down * down <= radius * radius
  }
}
