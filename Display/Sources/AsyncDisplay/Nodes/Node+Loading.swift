public import LoopTransactions

extension Node {
  /// Gives the tree to `display`'s loop: makes layers, and has all of it displayed.
  ///
  /// Call on the loop. Does nothing if it is loaded.
  ///
  /// - Parameter scale: How many pixels make a point.
  public func load(in display: Display, scale: Double = 1) {
    display.check("Node.load")
    require(self.display == nil || self.display === display, "Node.load: it is loaded elsewhere")
    guard !isLoaded else { return }
    layOutIfNeeded()
    forEachNode { node in
      require(
        !node.rasterizesSubtree || node.supernode?.isRasterized != true,
        "Node.load: rasterizesSubtree must not be set within a node that rasterizes"
      )
      node.display = display
      node.scale = scale
      if node.rasterizer === node { node.makeLayer(in: display) }
    }
    forEachNode { $0.didLoad() }
    if rasterizer !== self { prepareWithinPicture(isNew: true) }
    forEachNode { node in
      guard let layer = node.layer else { return }
      node.prepareParts()
      layer.setNeedsDisplay()
    }
  }

  /// Cancels its displays and drops its layers; it can be loaded again, or let go of on
  /// any thread. Decoded pictures are dropped. Who has one of the layers keeps what that
  /// showed, and nothing more comes.
  ///
  /// Call on the loop.
  public func unload() {
    check("Node.unload")
    forEachNode { node in
      node.cancelPreparing()
      node.dropPictures()
      node.dropFlat()
      node.layer?.retire()
      node.layer = nil
      node.display = nil
      (node.isAwaited, node.awaitedCount, node.isGivenUp) = (false, 0, false)
      node.hasDisplayedHierarchy = false
    }
  }

  private func makeLayer(in display: Display) {
    let layer = Layer(in: display)
    layer.delegate = self
    layer.bounds = frame.size
    layer.owner = self
    self.layer = layer
    configureLayer()
    guard let above = supernode?.layer else { return }
    // D9, D12: what is part of a tree is displayed as that is.
    layer.priority = above.priority
    (layer.isSuspended, layer.isDetached) = (above.isSuspended, above.isDetached)
  }

  /// Is held as `parent` is, with all its parts, and comes by that priority. A tree of its
  /// own was told what it is.
  func follow(_ parent: Node, isRoot: Bool) {
    guard layer != nil, parent.layer != nil else { return }
    if !isRoot || parent.isSuspended { isSuspended = parent.isSuspended }
    if !isRoot || parent.isDetached { isDetached = parent.isDetached }
    if !isRoot { priority = parent.priority }
  }

  func configureLayer() {
    guard let layer else { return }
    layer.isOpaque = isOpaque
    layer.scale = scale
    layer.fadeDuration = fadeDuration
    layer.displaysAsynchronously = displaysAsynchronously
  }
}

extension Display {
  /// Builds a tree of nodes on a worker and lays it out there; `completion` has it on
  /// the loop.
  ///
  /// Call on the loop. What is cancelled is not handed over.
  ///
  /// - Parameters:
  ///   - body: Makes the tree, from nothing that anybody else has: the compiler sees to
  ///     that. Told the operation, to ask whether it was cancelled.
  ///   - completion: Called once, on the loop; it loads the tree.
  @discardableResult
  public func build<Root: Node>(
    priority: OperationPriority = .normal,
    _ body: @escaping @Sendable (AsyncTransaction.Operation) throws -> sending Root,
    completion: @escaping (AsyncTransaction.Outcome<Root>) -> Void
  ) -> AsyncTransaction.Operation {
    check("Display.build")
    let transaction = makeTransaction()
    let operation = transaction.add("build", priority: priority) { operation in
      let root = try body(operation)
      root.layOutIfNeeded()
      return Built(root: root)
    } completion: { outcome in
      switch outcome {
      case .value(let built): completion(.value(built.root))
      case .cancelled: completion(.cancelled)
      case .failed(let error): completion(.failed(error))
      }
    }
    transaction.commit()
    return operation
  }
}

/// A tree on its way to the loop.
private struct Built<Root: Node>: @unchecked Sendable {
  // @unchecked: `sending` made sure that nobody else has it; the transaction's lock lies
  // between the worker's last use and the loop's first.
  let root: Root
}
