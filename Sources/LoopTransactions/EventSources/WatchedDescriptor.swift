/// A descriptor with its watchers, which share one libuv handle. Loop thread
/// only.
final class WatchedDescriptor {
  private let list: DescriptorList
  private var poll: DescriptorPoll?
  let descriptor: Int32
  private var watchers: ContiguousArray<DescriptorWatcher> = []
  // The events that libuv polls for.
  private var armed: DescriptorEvents = []
  // Whether to start the poll again, although `armed` has not changed.
  private var mustRestart = false
  private var isHalfClosed = false
  // Whether `list` reports changes of the descriptor, which has failed or hung up.
  private var awaitsChange = false
  // Whether the descriptor has an error, and can receive after it.
  private var isRecoverable = false
  /// Whether `list` applies the watchers' changes before the loop waits.
  var isQueued = false

  /// - Throws: `UVError` if libuv cannot poll `descriptor`.
  init(_ descriptor: Int32, in list: DescriptorList, loop: EventLoop) throws(UVError) {
    self.list = list
    self.descriptor = descriptor
    poll = try DescriptorPoll(descriptor, loop: loop.uv, owner: self)
  }

  /// Whether the descriptor still refers to the same file.
  var isIntact: Bool { poll?.isIntact ?? false }

  /// The address of libuv's handle.
  var address: UnsafeMutableRawPointer? { poll?.address }

  /// Adds `watcher`. An added watcher restarts the poll, because the kernel
  /// forgets a descriptor that was closed, and not every reuse is visible.
  func add(_ watcher: DescriptorWatcher) {
    mustRestart = !armed.isEmpty
    watchers.append(watcher)
    changed()
  }

  /// Removes `watcher`, which has ended. Stops polling at once after the last.
  func remove(_ watcher: DescriptorWatcher) {
    watchers.removeAll { $0 === watcher }
    guard watchers.isEmpty else { return changed() }
    // A closed poll was reported when it was closed.
    guard let poll else { return }
    if !poll.isIntact { list.reportClosed(descriptor) }
    close()
  }

  /// Applies the watchers' interest before the loop waits.
  func changed() { if poll != nil { list.enqueue(self) } }

  /// Ends all watchers without calling them.
  func drop() {
    close()
    let dropped = watchers
    watchers = []
    for watcher in dropped { _ = watcher.end() }
  }

  /// Ends all watchers and notifies them of `error`.
  func fail(_ error: UVError) {
    let failed = watchers
    watchers = []
    for watcher in failed where watcher.isAttached { watcher.fail(error) }
  }

  /// Closes libuv's handle.
  func close() {
    stopAwaitingChange()
    poll?.close()
    poll = nil
    list.remove(self)
  }

  /// Keeps the events of the parent from waking a child process.
  func stopInChild(sharesPoll: Bool) { poll?.stopInChild(sharesPoll: sharesPoll) }

  /// Detaches from the handle in a child process.
  func detach() { poll?.detachOwner() }
}

// Polling.
extension WatchedDescriptor {
  /// Passes libuv the events to poll for, if they have changed.
  ///
  /// - Throws: `UVError` if the descriptor cannot be polled any more.
  func apply() throws(UVError) {
    guard let poll else { return }
    poll.keepsLoopAlive(watchers.contains { $0.isWaitedFor && !$0.polled.isEmpty })
    list.keepsLoopAlive(isWaitedForChange, until: descriptor)
    let wanted = wanted
    guard wanted != armed || mustRestart else { return }
    mustRestart = false
    armed = wanted
    if wanted.isEmpty {
      poll.stop()
    } else {
      try poll.start(Int32(wanted.rawValue), descriptorIsReady)
    }
  }

  /// The events that any watcher waits for. Includes the hang-up until it was
  /// reported, because every watcher is notified of it.
  private var wanted: DescriptorEvents {
    var events = watchers.reduce(into: DescriptorEvents()) { $0.formUnion($1.polled) }
    if !events.isEmpty, !isHalfClosed { events.insert(.hangUp) }
    return events
  }

  /// Called when libuv reports `events`, or an error as `status`.
  fileprivate func polled(_ status: Int32, _ events: Int32) {
    guard let loop = list.loop, !loop.core.isForked else { return }
    // Retained, because a callback may close and release an adopted loop.
    withExtendedLifetime(loop) {
      loop.calledBack { deliver(report(status, DescriptorEvents(rawValue: UInt8(events)))) }
    }
  }

  private func report(_ status: Int32, _ events: DescriptorEvents) -> DescriptorReport {
    let hasFailed = status < 0
    if hasFailed {
      // libuv has stopped the handle, but the kernel still polls.
      poll?.stop()
      armed = []
    }
    let mayHaveEnded = hasFailed || isHalfClosed || events.contains(.hangUp)
    guard mayHaveEnded || events.contains(.priority) else {
      return DescriptorReport(events: events)
    }
    let condition = DescriptorCondition(of: descriptor)
    // libuv reports an error of a socket with SO_SELECT_ERR_QUEUE as priority.
    guard mayHaveEnded || condition.isRecoverable else {
      return DescriptorReport(events: events)
    }
    isRecoverable = condition.isRecoverable
    return DescriptorReport(events, condition, hasFailed: hasFailed)
  }

  private func deliver(_ report: DescriptorReport) {
    if case .open = report.stage { return notify(report) }
    isHalfClosed = true
    // Order: before the callbacks, so that an error that they cause counts.
    if report.isFinal { awaitChange() }
    notify(report)
    if report.isFinal { resumeIfCleared(after: report) }
    changed()
  }

  private func notify(_ report: DescriptorReport) {
    // A watcher that another one adds is called from the next tick on.
    for watcher in watchers { watcher.receive(report) }
  }
}

// After an error or a hang-up.
extension WatchedDescriptor {
  private func awaitChange() {
    if poll != nil { awaitsChange = list.awaitChange(of: descriptor) }
  }

  private func stopAwaitingChange() {
    if awaitsChange { list.stopAwaitingChange(of: descriptor) }
    awaitsChange = false
  }

  /// Whether the loop's run waits for a change. An error of a socket that is not
  /// hung up is not its end.
  private var isWaitedForChange: Bool {
    awaitsChange && isRecoverable && watchers.contains { $0.isWaitedFor && $0.hasEnded }
  }

  /// Resumes the watchers if a callback has read the error, or a part of the
  /// data before the error.
  private func resumeIfCleared(after report: DescriptorReport) {
    guard poll != nil, isIntact else { return }
    let condition = DescriptorCondition(of: descriptor)
    // A connection that ends returns its error after its data, another socket before.
    let hasMore = condition.hasUnread || !condition.isRecoverable
    if !condition.hasError, !condition.isHungUp {
      resume(watchers)
    } else if hasMore, condition.unread != report.unread {
      resume(watchers.filter(\.isReader))
    } else {
      list.deliverChanges()
    }
  }

  /// Resumes the watchers if the change is more than a step of a hang-up.
  func hasChanged() {
    guard poll != nil, awaitsChange, isIntact else { return }
    let condition = DescriptorCondition(of: descriptor)
    // A hang-up is not reported again. Data is, to the watchers that read.
    let isHungUp = condition.isHungUp && !condition.hasError
    if isHungUp, !condition.hasUnread { return }
    resume(isHungUp ? watchers.filter(\.isReader) : watchers)
  }

  private func resume(_ resumed: ContiguousArray<DescriptorWatcher>) {
    stopAwaitingChange()
    isHalfClosed = false
    for watcher in resumed { watcher.resume() }
    changed()
  }
}

private func descriptorIsReady(_ handle: PollHandle?, _ status: Int32, _ events: Int32) {
  // Without an owner, a child process closed the loop it inherited and runs
  // another one.
  guard let descriptor = owner(of: handle, as: WatchedDescriptor.self) else {
    return stopWatching(handle)
  }
  descriptor.polled(status, events)
}
