/// The watched descriptors of a loop. Loop thread only.
final class DescriptorList: LoopPart {
  private(set) unowned(unsafe) var loop: EventLoop?
  private var descriptors: [Int32: WatchedDescriptor] = [:]
  // Descriptors whose watchers have changed since the loop last waited.
  private var changed: [WatchedDescriptor] = []
  // Descriptors that were closed or reused while they were watched.
  private var lost: [(WatchedDescriptor, UVError)] = []
  private var observer: Observer?
  private var wakeSource: WakeSource?
  // Opened for the first descriptor that fails or hangs up.
  private var changes: DescriptorChanges?
  // Descriptors with a change that was taken from `changes`.
  private var changedEnds: [Int32] = []
  // Descriptors whose next change the loop's run waits for.
  private var waitedForEnds: Set<Int32> = []

  func attach(to loop: EventLoop) {
    self.loop = loop
    wakeSource = loop.wakeSource
  }

  /// Returns the entry of `descriptor`, which watchers share.
  func entry(for descriptor: Int32, on loop: EventLoop) throws(UVError) -> WatchedDescriptor {
    if let known = descriptors[descriptor] {
      if known.isIntact { return known }
      lose(known, UVError(code: UVError.badDescriptor, operation: "EventLoop.watch"))
    }
    let made = try WatchedDescriptor(descriptor, in: self, loop: loop)
    descriptors[descriptor] = made
    return made
  }

  /// Applies the changes of `descriptor` before the loop waits.
  func enqueue(_ descriptor: WatchedDescriptor) {
    guard !descriptor.isQueued else { return }
    descriptor.isQueued = true
    changed.append(descriptor)
    request()
  }

  /// Removes `descriptor`, which was closed.
  func remove(_ descriptor: WatchedDescriptor) {
    if descriptors[descriptor.descriptor] === descriptor {
      descriptors[descriptor.descriptor] = nil
    }
  }

  /// Reports that a watched descriptor was closed or reused.
  func reportClosed(_ descriptor: Int32) {
    System.logToStandardError(
      "EventLoop.watch: descriptor \(descriptor) was closed while it was watched; "
        + "call DescriptorWatcher.cancel() before close()"
    )
  }
}

// Interest.
extension DescriptorList {
  private func request() {
    guard let loop else { return }
    if observer?.isAttached != true {
      // Last, so that it sees the changes that other observers made.
      observer = loop.addObserver(for: .beforeWaiting, order: .max, place: nil) {
        [unowned self] _ in apply()
      }
      observer?.isResting = true
    }
    observer?.setPending(true)
  }

  private func apply() {
    // Retained, because a watcher may close and release an adopted loop.
    withExtendedLifetime(self) {
      while !changed.isEmpty || !lost.isEmpty {
        applyChanges()
        notifyLost()
      }
      observer?.setPending(false)
    }
  }

  private func applyChanges() {
    let descriptors = changed
    changed = []
    for descriptor in descriptors {
      descriptor.isQueued = false
      do { try descriptor.apply() } catch { lose(descriptor, error) }
    }
  }

  private func notifyLost() {
    let descriptors = lost
    lost = []
    for (descriptor, error) in descriptors { descriptor.fail(error) }
  }

  /// Stops polling `descriptor`, and notifies its watchers before the loop
  /// waits.
  private func lose(_ descriptor: WatchedDescriptor, _ error: UVError) {
    if error.code == UVError.badDescriptor {
      reportClosed(descriptor.descriptor)
    } else {
      System.logToStandardError(
        "\(error); descriptor \(descriptor.descriptor) is no longer watched"
      )
    }
    descriptor.close()
    lost.append((descriptor, error))
    request()
  }
}

// Changes of descriptors that have failed or hung up.
extension DescriptorList {
  /// Calls `hasChanged()` of the entry of `descriptor` after its next change.
  /// Returns false if the system refuses.
  func awaitChange(of descriptor: Int32) -> Bool {
    guard let changes = openChanges(), changes.add(descriptor) else { return false }
    takeChanges()
    // Its present state.
    changedEnds.removeAll { $0 == descriptor }
    return true
  }

  func stopAwaitingChange(of descriptor: Int32) {
    changes?.remove(descriptor)
    changedEnds.removeAll { $0 == descriptor }
    keepsLoopAlive(false, until: descriptor)
  }

  /// Sets whether the loop's run waits for the next change of `descriptor`.
  func keepsLoopAlive(_ isWaitedFor: Bool, until descriptor: Int32) {
    guard let changes, waitedForEnds.contains(descriptor) != isWaitedFor else { return }
    if isWaitedFor { waitedForEnds.insert(descriptor) } else { waitedForEnds.remove(descriptor) }
    changes.keepsLoopAlive(!waitedForEnds.isEmpty)
  }

  /// Notifies the descriptors that have changed.
  func deliverChanges() {
    takeChanges()
    let ends = changedEnds
    changedEnds = []
    for descriptor in ends { descriptors[descriptor]?.hasChanged() }
  }

  private func takeChanges() {
    while let descriptor = changes?.take() { changedEnds.append(descriptor) }
  }

  // Without a free descriptor, watchers go on only if the error was cleared
  // when the callback returns.
  private func openChanges() -> DescriptorChanges? {
    if changes == nil, let loop {
      // On systems other than Linux there are none.
      changes = try? DescriptorChanges(loop: loop.uv, owner: self, changed: endsHaveChanged)
    }
    return changes
  }

  private func closeChanges() {
    changes?.close()
    changes = nil
    changedEnds = []
    waitedForEnds = []
  }
}

// The loop's life.
extension DescriptorList {
  var holdsAnything: Bool { !descriptors.isEmpty || !lost.isEmpty }

  var handles: [UnsafeMutableRawPointer] {
    descriptors.values.compactMap(\.address) + [changes?.address].compactMap(\.self)
  }

  func drop() {
    // One by one, because releasing a callback may cancel other watchers. Not
    // until none is left, because it may also add one.
    for _ in 0..<descriptors.count { descriptors.first?.value.drop() }
    for _ in 0..<lost.count { lost.popLast()?.0.drop() }
    changed = []
    closeChanges()
  }

  func loopDidClose() {
    loop = nil
    observer = nil
  }

  func loopWasReleased() {
    loop = nil
    drop()
    observer = nil
  }

  func leaveInChild() {
    for descriptor in descriptors.values { descriptor.detach() }
    changes?.detachOwner()
    loop = nil
  }

  func stopInChild(of uv: UVLoop) {
    // The wake descriptor shows whether the poll is shared. A watched
    // descriptor must not: it would become edge-triggered in the parent too.
    let sharesPoll = wakeSource?.sharesPoll(of: uv) ?? true
    for descriptor in descriptors.values { descriptor.stopInChild(sharesPoll: sharesPoll) }
    changes?.stopInChild(sharesPoll: sharesPoll)
  }
}

private func endsHaveChanged(_ handle: PollHandle?, _ status: Int32, _ events: Int32) {
  // As in `descriptorIsReady`.
  guard let list = owner(of: handle, as: DescriptorList.self) else { return stopWatching(handle) }
  guard let loop = list.loop, !loop.core.isForked else { return }
  loop.calledBack { list.deliverChanges() }
}
