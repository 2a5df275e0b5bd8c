// Memory that drawing needs on the way.
extension Node {
  /// The most bytes that a step of drawing its bitmap has beside that: steps come one
  /// after the other. D8.
  ///
  /// - Complexity: O(n) in its parts.
  var pictureScratchBytes: Int {
    guard rasterizesSubtree else { return scratchBytes }
    var most = 0
    forEachNode { most = max(most, $0.scratchBytes) }
    return most
  }
}
