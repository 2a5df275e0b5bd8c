public import LoopTransactions

// Requesting displays.
extension Layer {
  /// Marks the contents as out of date. The next display commit displays the
  /// layer.
  ///
  /// Call on the loop. A display that is under way is not cancelled. Its result
  /// is shown, and the next display follows. A layer that is invalidated
  /// continuously therefore still shows contents.
  ///
  /// A suspended or detached layer is displayed after it is resumed or
  /// attached. The layer of a node is displayed after the node's images are
  /// decoded. If the layer is part of a flattened picture, the picture is
  /// unflattened. After the loop was closed, the layer is marked as dirty but
  /// not displayed.
  ///
  /// - Complexity: O(1). Repeated calls before the commit do not allocate.
  public func setNeedsDisplay() {
    display.check("Layer.setNeedsDisplay")
    core.change { $0.invalidate() }
    notifyOwner()
  }

  /// Whether the layer must be displayed. True also after a display was
  /// cancelled.
  ///
  /// Call on the loop.
  public var needsDisplay: Bool { core.state.need != .clean }

  /// Whether a display is under way and not cancelled.
  ///
  /// Call on the loop.
  public var isDisplaying: Bool { core.state.isRunning }

  /// A counter that changes with every display, invalidation and cancellation of
  /// the layer.
  ///
  /// Use from any thread.
  public var sentinel: Sentinel.Reader { core.sentinel.reader }

  /// Begins a display now if the layer needs one and no display is under way.
  /// Ignores the limit of memory in flight.
  ///
  /// Call on the loop. A synchronous layer has been displayed when this
  /// function returns. If the layer may not be displayed yet, as described at
  /// `setNeedsDisplay()`, the display begins as soon as it may.
  public func displayIfNeeded() { displayIfNeeded(in: nil) }

  func displayIfNeeded(in transaction: AsyncTransaction?) {
    display.check("Layer.displayIfNeeded")
    core.change { $0.requestDisplay() }
    notifyOwner()
    guard core.state.canBegin else { return }
    core.begin(self, asynchronously: displaysAsynchronously, in: transaction)
  }

  /// Displays the layer synchronously on the loop, whether or not it needs
  /// display. Cancels the display that is under way.
  ///
  /// Call on the loop. Does nothing while the layer is suspended, detached or
  /// part of a flattened picture, or while images of its node are being
  /// decoded.
  public func displayNow() {
    display.check("Layer.displayNow")
    guard core.state.holds.isEmpty else { return }
    core.begin(self, asynchronously: false)
  }

  /// Cancels the current and the scheduled display. Neither display is shown.
  ///
  /// Call on the loop. The layer stays dirty until it is invalidated, until
  /// `displayIfNeeded()` is called, or until it is resumed or attached again. A
  /// display that waits for a worker never runs. In a display that is running,
  /// `isCancelled` returns true.
  public func cancelDisplay() {
    display.check("Layer.cancelDisplay")
    core.change { $0.cancel() }
  }

  func displayDidEnd() { owner?.displayDidEnd() }

  // The owner may be able to release the hold.
  private func notifyOwner() {
    if !core.state.holds.isEmpty, core.state.need != .clean { owner?.displayWasRequested() }
  }

  /// Cancels the current display and prevents all later displays, because the
  /// layer's node no longer uses the layer. Other references to the layer stay
  /// valid.
  func retire() {
    (delegate, owner) = (nil, nil)
    core.change { $0.hold(.gone) }
  }
}

// Suspending displays.
extension Layer {
  /// Whether displays are suspended. Suspending cancels the current display.
  /// After resuming, the next display commit displays the layer if needed.
  ///
  /// Use on the loop.
  public var isSuspended: Bool {
    get { core.state.holds.contains(.suspended) }
    set { setHold(.suspended, newValue, "Layer.isSuspended") }
  }

  /// Whether the layer is not in a window and therefore not displayed.
  ///
  /// Works like `isSuspended`, but is meant for the code that shows the layer.
  /// If the layer was invalidated while detached, it is displayed after it is
  /// attached.
  ///
  /// Use on the loop.
  public var isDetached: Bool {
    get { core.state.holds.contains(.detached) }
    set { setHold(.detached, newValue, "Layer.isDetached") }
  }

  func setHold(_ hold: DisplayState.Holds, _ isHeld: Bool, _ operation: StaticString) {
    display.check(operation)
    guard core.state.holds.contains(hold) != isHeld else { return }
    core.change { isHeld ? $0.hold(hold) : $0.release(hold) }
    if !isHeld, hold == .detached { notifyOwner() }
  }

  /// Whether the layer is suspended or detached.
  var isResting: Bool { !core.state.holds.isDisjoint(with: [.suspended, .detached]) }
}

// Waiting.
extension Layer {
  /// Displays the layer if needed, and blocks until its contents are up to
  /// date.
  ///
  /// Call on the loop, which does nothing else meanwhile. The display gets the
  /// highest priority, and this thread draws everything that no worker has
  /// begun to draw. The call also waits for images of the layer's node, but not
  /// for invalidations that occur during the wait. Returns immediately if the
  /// layer is suspended or detached.
  public func waitUntilDisplayed() { display.waitUntilDisplayed([self]) }
}

extension Display {
  /// Displays each of `layers` that needs display, and blocks until all their
  /// contents are up to date.
  ///
  /// All displays begin before the first wait, so that all workers and this
  /// thread draw in parallel. In all other respects this function works like
  /// `Layer.waitUntilDisplayed()`.
  ///
  /// Call on the loop, but not from a completion that other code added to the
  /// transaction of a layer's container.
  public func waitUntilDisplayed(_ layers: [Layer]) {
    check("Display.waitUntilDisplayed")
    let owners = layers.compactMap { layer in
      layer.core.state.need != .clean && !layer.isResting ? layer.owner : nil
    }
    for owner in owners { owner.beforeDisplay() }
    for owner in owners { owner.waitForParts() }
    // Waits twice, because the current display may be older than the latest
    // invalidation.
    for _ in 0..<2 where layers.contains(where: { $0.core.state.isUnfinished }) {
      let transaction = makeTransaction()
      for layer in layers { layer.displayIfNeeded(in: transaction) }
      transaction.commit()
      let cores = layers.map(\.core)
      for core in cores { core.setPriority(.interactive) }
      for core in cores { if let run = core.running { core.wait(for: run) } }
    }
  }
}
