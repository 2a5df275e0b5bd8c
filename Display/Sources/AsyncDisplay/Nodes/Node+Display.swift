public import LoopTransactions

// Displaying.
extension Node {
  /// Marks the node's contents as out of date. If an ancestor draws the node,
  /// marks the ancestor's contents instead.
  ///
  /// Call on the loop if the node is loaded. Does nothing if the node is not
  /// loaded.
  public func setNeedsDisplay() {
    check("Node.setNeedsDisplay")
    guard isLoaded else { return }
    partDidChange()
    prepareWithinPicture()
    rasterizer.layer?.setNeedsDisplay()
  }

  /// Cancels the displays of the node and its subnodes, the loading of their
  /// images, and flattening. If an ancestor draws the node, cancels the
  /// ancestor's display.
  ///
  /// Call on the loop. The nodes stay dirty until a display is requested.
  public func cancelDisplay() {
    check("Node.cancelDisplay")
    rasterizer.forEachNode { node in
      node.layer?.cancelDisplay()
      node.giveUpPreparing()
      node.flat?.giveUp()
    }
  }

  /// Begins the displays that the node and its subnodes need.
  ///
  /// Call on the loop.
  public func displayIfNeeded() {
    check("Node.displayIfNeeded")
    for layer in layers { layer.displayIfNeeded() }
  }

  /// Displays the node and its subnodes if needed, and blocks until they are up
  /// to date, like `Layer.waitUntilDisplayed()`.
  ///
  /// Call on the loop.
  public func waitUntilDisplayed() {
    check("Node.waitUntilDisplayed")
    // An image that failed in the last display may be available now.
    rasterizer.forEachNode { if $0.loads.contains(where: \.isRetryable) { $0.setNeedsDisplay() } }
    display?.waitUntilDisplayed(layers)
  }

  /// Whether displays of the node and its subnodes are suspended, as described
  /// at `Layer.isSuspended`.
  ///
  /// Suspending also cancels flattening. Subnodes that are added later are
  /// suspended, too. If an ancestor draws the node, the property applies to the
  /// ancestor and everything it draws.
  ///
  /// Use on the loop after the node is loaded.
  public var isSuspended: Bool {
    get { rasterizer.layer?.isSuspended ?? false }
    set {
      for layer in layers { layer.isSuspended = newValue }
      if newValue { rasterizer.forEachNode { $0.flat?.giveUp() } }
    }
  }

  /// Whether the node and its subnodes are not in a window, as described at
  /// `Layer.isDetached`.
  ///
  /// Detaching also cancels flattening and the loading of images. Subnodes that
  /// are added later are detached, too. If an ancestor draws the node, the
  /// property applies to the ancestor and everything it draws.
  ///
  /// Use on the loop after the node is loaded.
  public var isDetached: Bool {
    get { rasterizer.layer?.isDetached ?? false }
    set {
      for layer in layers { layer.isDetached = newValue }
      guard newValue else { return }
      // No display waits for images that cannot be seen.
      rasterizer.forEachNode { node in
        node.giveUpPreparing()
        node.flat?.giveUp()
      }
    }
  }

  /// The priority of displays of the node and its subnodes.
  ///
  /// Subnodes that are added later inherit the priority. Flattening always runs
  /// at background priority or lower. If an ancestor draws the node, the
  /// property applies to the ancestor and everything it draws.
  ///
  /// Use on the loop after the node is loaded.
  public var priority: OperationPriority {
    get { rasterizer.layer?.priority ?? .normal }
    set {
      for layer in layers { layer.priority = newValue }
      rasterizer.forEachNode { node in
        node.priorityDidChange(newValue)
        node.flat?.setPriority(newValue)
      }
    }
  }

  /// Removes the contents and the decoded images of the node and its subnodes.
  /// Placeholders are shown until the nodes are displayed again.
  ///
  /// Call on the loop.
  public func clearContents() {
    check("Node.clearContents")
    partDidChange()
    forEachNode { node in
      node.dropFlat()
      node.layer?.clearContents()
      node.dropPictures()
      node.hasDisplayedHierarchy = false
    }
  }

  /// The layers of the node and its subnodes. If an ancestor draws the node,
  /// the ancestor's layer.
  public var layers: [Layer] {
    var layers: [Layer] = []
    rasterizer.forEachNode { if let layer = $0.layer { layers.append(layer) } }
    return layers
  }

  /// Releases the decoded images of this node.
  func dropPictures() { for load in loads { load.drop() } }
}

// Drawing.
extension Node: LayerDelegate {
  /// Returns a task that draws the node. If the node rasterizes its subtree,
  /// the task also draws the subnodes.
  public func displayTask(for layer: Layer) -> DisplayTask? {
    let steps = rasterSteps()
    var nodes = [self]
    if rasterizesSubtree {
      nodes = []
      forEachNode { nodes.append($0) }
    }
    return DisplayTask(
      willDisplay: { _ in for node in nodes { node.willDisplay() } },
      didDisplay: { _, outcome in for node in nodes { node.finishDisplay(outcome) } },
      display: RasterStep.drawing(steps)
    )
  }

  /// Returns the steps that draw the node's bitmap. The result is empty if
  /// there is nothing to draw.
  func rasterSteps() -> [RasterStep] {
    var steps: [RasterStep] = []
    appendSteps(to: &steps, isRoot: true)
    let draws = steps.contains { step in
      switch step {
      case .begin(let placement): placement.background != nil
      case .draw: true
      case .clip, .end: false
      }
    }
    return draws ? steps : []
  }

  private func appendSteps(to steps: inout [RasterStep], isRoot: Bool) {
    // The visibility, opacity and position of a bitmap's root are applied when
    // the bitmap is composited.
    guard isRoot || (!isHidden && alpha > 0), frame.isValid else { return }
    let backdrop = makeBackdrop()
    let placement = RasterStep.Placement(
      origin: isRoot ? .zero : frame.origin,
      size: frame.size,
      alpha: isRoot ? 1 : min(alpha, 1),
      clips: clipsToBounds && !isRoot && backdrop == nil,
      cornerRadius: backdrop == nil ? cornerRadius : 0,
      background: backdrop == nil ? ownBackground : nil
    )
    steps.append(.begin(placement))
    if let backdrop { append(backdrop, isRoot: isRoot, to: &steps) }
    if let drawing = makeDrawing() { steps.append(.draw(drawing, contentRect)) }
    if isRasterized { for node in subnodes { node.appendSteps(to: &steps, isRoot: false) } }
    steps.append(.end(placement))
  }

  // The shadow lies outside the rectangle to which the node and its subnodes
  // are clipped.
  private func append(_ backdrop: Backdrop, isRoot: Bool, to steps: inout [RasterStep]) {
    steps.append(.draw(backdrop.draw, bounds))
    guard cornerRadius > 0 || (clipsToBounds && !isRoot) else { return }
    steps.append(.clip(backdrop.rect, radius: cornerRadius))
  }
}
