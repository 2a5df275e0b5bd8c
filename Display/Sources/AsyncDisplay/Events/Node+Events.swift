// Which node a touch is for. It does not matter whose bitmap shows it: a part of a
// picture answers as one with a layer of its own.
extension Node {
  /// The node in front of all others at `point` that answers events; nil if there is
  /// none. What is hidden, transparent or clipped away answers none; what answers none
  /// lets them through to what is behind.
  ///
  /// Call on the thread that builds the tree; on the loop if it is loaded.
  ///
  /// - Parameter point: In its own coordinates.
  /// - Complexity: O(n) in its parts.
  public func hitTest(_ point: Point) -> Node? {
    check("Node.hitTest")
    guard !isHidden, alpha > 0, frame.isValid, point.x.isFinite, point.y.isFinite else {
      return nil
    }
    // Its parts are clipped to where it draws, whatever of that it answers for.
    if clipsToBounds || cornerRadius > 0 {
      guard contentRect.contains(point, radius: cornerRadius) else { return nil }
    }
    for node in subnodes.reversed() {
      let origin = node.frame.origin
      if let hit = node.hitTest(Point(x: point.x - origin.x, y: point.y - origin.y)) { return hit }
    }
    return contains(point) && answersEvents ? self : nil
  }

  /// `point`, which is in `ancestor`'s supernode's coordinates, in its own; nil if it is
  /// not, or no longer, a part of `ancestor`.
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
  /// Whether `point` is in it, corners of `radius` left out. Its left and top edges are
  /// part of it, the others are not.
  func contains(_ point: Point, radius: Double = 0) -> Bool {
    let (x, y) = (point.x - origin.x, point.y - origin.y)
    guard x >= 0, y >= 0, x < size.width, y < size.height else { return false }
    let radius = min(radius, size.width / 2, size.height / 2)
    guard radius > 0 else { return true }
    // How far it is beyond the centre of the nearest corner's circle.
    let across = max(radius - x, x - (size.width - radius), 0)
    let down = max(radius - y, y - (size.height - radius), 0)
    return across * across + down * down <= radius * radius
  }
}
