import LoopTransactions

// When it is displayed.
extension Layer {
  /// Says that what it shows is not the newest: it is displayed by the next display
  /// commit.
  ///
  /// Call on the loop. A display that is under way goes on, and is shown; then comes
  /// the next, so that a layer that is invalidated all the time still shows something. One
  /// that is suspended or detached is displayed when it is not any more; that of a node
  /// once what that draws is decoded, and has the flat picture that shows it come apart.
  /// After its loop was closed it stays dirty.
  ///
  /// - Complexity: O(1). Allocates nothing if it is called again before the commit.
  public func setNeedsDisplay() {
    display.check("Layer.setNeedsDisplay")
    core.change { $0.invalidate() }
    tellOwner()
  }

  /// Whether it is to be displayed, or was and was cancelled.
  ///
  /// Call on the loop.
  public var needsDisplay: Bool { core.state.need != .clean }

  /// Whether a display is under way that was not cancelled.
  ///
  /// Call on the loop.
  public var isDisplaying: Bool { core.state.isRunning }

  /// Counts its displays and invalidations.
  ///
  /// Use it on any thread.
  public var sentinel: Sentinel.Reader { core.sentinel.reader }

  /// Begins a display now if one is needed and none is under way, whatever the memory
  /// in flight. In a synchronous layer it has ended when this returns. One that is held,
  /// as `setNeedsDisplay` says, begins when it is not any more.
  ///
  /// Call on the loop.
  public func displayIfNeeded() { displayIfNeeded(in: nil) }

  func displayIfNeeded(in transaction: AsyncTransaction?) {
    display.check("Layer.displayIfNeeded")
    core.change { $0.ask() }
    tellOwner()
    guard core.state.canBegin else { return }
    core.begin(self, asynchronously: displaysAsynchronously, in: transaction)
  }

  /// Displays it on the loop, now, whether or not that is needed. Cancels what is under
  /// way. Does nothing while it is suspended, detached, shown by a flat picture, or its
  /// node has not decoded what it draws.
  ///
  /// Call on the loop.
  public func displayNow() {
    display.check("Layer.displayNow")
    guard core.state.holds.isEmpty else { return }
    core.begin(self, asynchronously: false)
  }

  /// Cancels the display that is under way, and the next: nothing of it is shown. The
  /// layer stays dirty, until it is invalidated or asked for, by `displayIfNeeded`.
  ///
  /// Call on the loop. One that waits for a worker never runs; one that runs is told by
  /// its `isCancelled`.
  public func cancelDisplay() {
    display.check("Layer.cancelDisplay")
    core.change { $0.cancel() }
  }

  func displayDidEnd() { owner?.displayDidEnd() }

  // What it is held for may be its owner's to end.
  private func tellOwner() {
    if !core.state.holds.isEmpty, core.state.need != .clean { owner?.layerIsAsked() }
  }

  /// Cancels what is under way, and begins nothing any more, whoever else has it: its
  /// delegate is done with it.
  func retire() {
    (delegate, owner) = (nil, nil)
    core.change { $0.hold(.gone) }
  }
}

// When it is not.
extension Layer {
  /// Whether nothing is displayed for now. Suspending cancels the display that is under
  /// way; resuming displays what is needed, by the next display commit.
  ///
  /// Use it on the loop.
  public var isSuspended: Bool {
    get { core.state.holds.contains(.suspended) }
    set { setHold(.suspended, newValue, "Layer.isSuspended") }
  }

  /// Whether it is in no window, and not displayed. As `isSuspended`, for who shows it;
  /// what was invalidated meanwhile is displayed once it is attached again.
  ///
  /// Use it on the loop.
  public var isDetached: Bool {
    get { core.state.holds.contains(.detached) }
    set { setHold(.detached, newValue, "Layer.isDetached") }
  }

  func setHold(_ hold: DisplayState.Holds, _ isHeld: Bool, _ operation: StaticString) {
    display.check(operation)
    guard core.state.holds.contains(hold) != isHeld else { return }
    core.change { isHeld ? $0.hold(hold) : $0.release(hold) }
    if !isHeld, hold == .detached { tellOwner() }
  }

  /// Whether its user has it rest, or it is in no window.
  var isResting: Bool { !core.state.holds.isDisjoint(with: [.suspended, .detached]) }
}

// Waiting.
extension Layer {
  /// Returns when the newest is shown: begins the display that is needed, and waits for
  /// what is under way. The loop does nothing else meanwhile.
  ///
  /// Call on the loop. What is waited for is put above everything else that waits for a
  /// worker, and this thread draws what no worker has begun. What invalidates the layer
  /// meanwhile is not waited for; what its node draws is. Nothing is done while it is
  /// suspended or detached.
  public func waitUntilDisplayed() { display.waitUntilDisplayed([self]) }
}

extension Display {
  /// Returns when each of `layers` shows its newest: all are begun, and drawn by all
  /// workers and this thread, before any is waited for.
  ///
  /// Call on the loop; not from a completion that somebody else added to the transaction
  /// of a layer's container. As `Layer.waitUntilDisplayed`.
  public func waitUntilDisplayed(_ layers: [Layer]) {
    check("Display.waitUntilDisplayed")
    let owners = layers.compactMap { layer in
      layer.core.state.need != .clean && !layer.isResting ? layer.owner : nil
    }
    for owner in owners { owner.beforeDisplay() }
    for owner in owners { owner.waitForParts() }
    // Twice: what is under way may be older than what is needed.
    for _ in 0..<2 where layers.contains(where: { $0.core.state.isUnfinished }) {
      let transaction = makeTransaction()
      for layer in layers { layer.displayIfNeeded(in: transaction) }
      transaction.commit()
      let cores = layers.map(\.core)
      for core in cores { core.move(to: .interactive) }
      for core in cores { if let run = core.running { core.wait(for: run) } }
    }
  }
}
