public import LoopTransactions

// When it is displayed.
extension Node {
  /// Says that what it shows is not the newest. One that an ancestor draws has that
  /// displayed.
  ///
  /// Call on the loop if it is loaded; before, it does nothing.
  public func setNeedsDisplay() {
    check("Node.setNeedsDisplay")
    guard isLoaded else { return }
    partDidChange()
    prepareWithinPicture()
    rasterizer.layer?.setNeedsDisplay()
  }

  /// Cancels the displays of it and its parts, what they get for them, and what is being
  /// flattened; one that an ancestor draws cancels that. They stay dirty until they are
  /// asked for.
  ///
  /// Call on the loop.
  public func cancelDisplay() {
    check("Node.cancelDisplay")
    rasterizer.forEachNode { node in
      node.layer?.cancelDisplay()
      node.giveUpPreparing()
      node.flat?.giveUp()
    }
  }

  /// Begins the displays that are needed, of it and its parts.
  ///
  /// Call on the loop.
  public func displayIfNeeded() {
    check("Node.displayIfNeeded")
    for layer in layers { layer.displayIfNeeded() }
  }

  /// Returns when it and its parts show their newest, as `Layer.waitUntilDisplayed`.
  ///
  /// Call on the loop.
  public func waitUntilDisplayed() {
    check("Node.waitUntilDisplayed")
    // What was displayed without a picture may have that by now.
    rasterizer.forEachNode { if $0.loads.contains(where: \.mayComeYet) { $0.setNeedsDisplay() } }
    display?.waitUntilDisplayed(layers)
  }

  /// Whether it and its parts are not displayed for now. As `Layer.isSuspended`; what is
  /// being flattened is given up. What is added to it is suspended, too. One that an
  /// ancestor draws speaks for all of that.
  ///
  /// Use it on the loop, once it is loaded.
  public var isSuspended: Bool {
    get { rasterizer.layer?.isSuspended ?? false }
    set {
      for layer in layers { layer.isSuspended = newValue }
      if newValue { rasterizer.forEachNode { $0.flat?.giveUp() } }
    }
  }

  /// Whether it and its parts are in no window. As `Layer.isDetached`; what they get for
  /// their displays is cancelled, and what is being flattened given up. What is added to it
  /// is detached, too. One that an ancestor draws speaks for all of that.
  ///
  /// Use it on the loop, once it is loaded.
  public var isDetached: Bool {
    get { rasterizer.layer?.isDetached ?? false }
    set {
      for layer in layers { layer.isDetached = newValue }
      guard newValue else { return }
      // Nobody waits for what nobody can see.
      rasterizer.forEachNode { node in
        node.giveUpPreparing()
        node.flat?.giveUp()
      }
    }
  }

  /// Which displays come first, of it and its parts. What is being flattened comes after
  /// everything that shows more than before, whatever this is. What is added to it takes
  /// it over. One that an ancestor draws speaks for all of that.
  ///
  /// Use it on the loop, once it is loaded.
  public var priority: OperationPriority {
    get { rasterizer.layer?.priority ?? .normal }
    set {
      for layer in layers { layer.priority = newValue }
      rasterizer.forEachNode { node in
        node.priorityDidChange(newValue)
        node.flat?.move(to: newValue)
      }
    }
  }

  /// Drops what it and its parts show, and their decoded pictures. Their placeholders stand
  /// in until they are displayed again.
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

  /// Every layer that shows it or a part of it.
  public var layers: [Layer] {
    var layers: [Layer] = []
    rasterizer.forEachNode { if let layer = $0.layer { layers.append(layer) } }
    return layers
  }

  /// Drops its decoded pictures.
  func dropPictures() { for load in loads { load.drop() } }
}

// How it is displayed.
extension Node: LayerDelegate {
  /// Draws it, and all of its parts if it rasterizes them.
  public func displayTask(for layer: Layer) -> DisplayTask? {
    let steps = rasterSteps()
    var nodes = [self]
    if rasterizesSubtree {
      nodes = []
      forEachNode { nodes.append($0) }
    }
    return DisplayTask(
      willDisplay: { for node in nodes { node.willDisplay() } },
      didDisplay: { outcome in for node in nodes { node.didDisplay(outcome) } },
      display: RasterStep.drawing(steps)
    )
  }

  /// The steps that draw its bitmap; none if there is nothing in it.
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
    // Those of a bitmap of its own are its compositor's.
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

  // Its shadow is beyond what it and its parts are clipped to.
  private func append(_ backdrop: Backdrop, isRoot: Bool, to steps: inout [RasterStep]) {
    steps.append(.draw(backdrop.draw, bounds))
    guard cornerRadius > 0 || (clipsToBounds && !isRoot) else { return }
    steps.append(.clip(backdrop.rect, radius: cornerRadius))
  }
}
