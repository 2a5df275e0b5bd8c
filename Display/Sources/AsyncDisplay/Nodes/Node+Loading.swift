public import LoopTransactions

extension Node {
  /// Adds the tree to `display`. Creates the tree's layers and displays them.
  ///
  /// Call on the loop. Does nothing if the node is already loaded.
  ///
  /// - Parameters:
  ///   - display: The display that the tree belongs to from now on. The tree
  ///     then also belongs to the display's loop.
  ///   - scale: The number of pixels per point.
  public func load(in display: Display, scale: Double = 1) {
    display.check("Node.load")
    require(
      self.display == nil || self.display === display,
      "Node.load: the node must be unloaded before it is loaded in another display"
    )
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

  /// Cancels all displays of the tree, and removes its layers and decoded
  /// images.
  ///
  /// Call on the loop. Afterwards the tree can be loaded again, or released on
  /// any thread. A layer that is still referenced elsewhere keeps its contents
  /// and is not displayed again.
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
    layer.size = frame.size
    layer.owner = self
    self.layer = layer
    configureLayer()
    guard let above = supernode?.layer else { return }
    // A subtree takes over the state of the tree to which it is added.
    layer.priority = above.priority
    (layer.isSuspended, layer.isDetached) = (above.isSuspended, above.isDetached)
  }

  /// Takes over the suspension, detachment and priority of `parent`. A former
  /// root keeps its own priority. It also stays suspended or detached if it
  /// was.
  func inheritState(of parent: Node, isRoot: Bool) {
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
  /// Builds a tree of nodes and lays it out on a worker, then passes it to
  /// `completion` on the loop.
  ///
  /// Call on the loop. If the operation is cancelled, the tree is released and
  /// `completion` receives `.cancelled`.
  ///
  /// - Parameters:
  ///   - priority: The priority of the operation.
  ///   - body: Builds the tree from values that nothing else refers to, which
  ///     the compiler checks. It receives its operation and can check whether
  ///     the operation is cancelled.
  ///   - completion: Called exactly once, on the loop. It typically loads the
  ///     tree.
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

/// A tree that is being passed from the worker to the loop.
private struct Built<Root: Node>: @unchecked Sendable {
  // @unchecked: `sending` guarantees that nothing else refers to the tree. The
  // worker's last access and the loop's first access are ordered by the
  // transaction's lock.
  let root: Root
}
