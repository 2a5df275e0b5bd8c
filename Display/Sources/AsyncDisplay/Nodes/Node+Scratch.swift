// Temporary memory that drawing needs.
extension Node {
  /// The maximum number of bytes that one step of drawing the bitmap needs in
  /// addition to the bitmap. Steps run one after the other. D8.
  ///
  /// - Complexity: O(n) in the subnodes.
  var pictureScratchBytes: Int {
    guard rasterizesSubtree else { return scratchBytes }
    var most = 0
    forEachNode { most = max(most, $0.scratchBytes) }
    return most
  }
}
