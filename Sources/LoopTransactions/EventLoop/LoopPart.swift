/// A component that another folder adds to a loop, such as transactions, queues
/// or a host.
///
/// The loop calls its parts when it closes, forks or reads metrics, and does
/// not depend on them otherwise. All functions except `loopWasReleased` are
/// called on the loop's thread, in the order the parts were added.
protocol LoopPart: AnyObject {
  /// Called once, when the part is added to `loop`.
  func attach(to loop: EventLoop)

  /// Whether the part holds anything that closing the loop must drop.
  var holdsAnything: Bool { get }

  /// Whether the part has started anything that closing the loop must finish.
  var isUnfinished: Bool { get }

  /// The part's libuv handles.
  var handles: [UnsafeMutableRawPointer] { get }

  /// The names of the work that was handed over and is not finished, for reports.
  var unfinishedWork: [String] { get }

  /// Describes the running callback in which the loop must not be closed. Used
  /// in a failure message.
  var unclosablePlace: String? { get }

  /// Called when the loop begins to close. Refuses work from other threads from
  /// now on.
  func loopWillClose()

  /// Performs all pending work. Called repeatedly, because parts pass work on
  /// to each other.
  func finish()

  /// Refuses all work from now on, and performs the remaining work.
  func finishForGood()

  /// Drops everything. Called repeatedly, because releasing an object may add
  /// another.
  func drop()

  /// Detaches from the loop, which has been closed.
  func loopDidClose()

  /// Called when the loop was released while open. Drops everything and
  /// detaches. May be called on any thread.
  func loopWasReleased()

  /// Detaches from a loop inherited from the parent process. Must not perform
  /// or drop anything, or take a lock.
  func leaveInChild()

  /// Keeps the part's handles from waking this child process for the parent's
  /// events.
  func stopInChild(of uv: UVLoop)

  /// Updates the part's gauges.
  func updateMetrics(_ metrics: MetricsCells)
}

extension LoopPart {
  func attach(to loop: EventLoop) {}
  var holdsAnything: Bool { false }
  var isUnfinished: Bool { false }
  var handles: [UnsafeMutableRawPointer] { [] }
  var unfinishedWork: [String] { [] }
  var unclosablePlace: String? { nil }
  func loopWillClose() {}
  func finish() {}
  func finishForGood() {}
  func drop() {}
  func loopDidClose() {}
  func loopWasReleased() { loopDidClose() }
  func leaveInChild() {}
  func stopInChild(of uv: UVLoop) {}
  func updateMetrics(_ metrics: MetricsCells) {}
}

/// A host that drives the loop in turns.
protocol LoopHost: LoopPart {
  /// Called when the time until the next turn may have become shorter.
  func loopChanged()
}

/// The interface through which a tick uses the pending commits.
protocol PendingCommits: LoopPart {
  /// The number of pending pairs of target and selector.
  var count: Int { get }

  /// Performs the currently pending commits, within the budget.
  func flush()

  /// Called before the `exit` observers are called. If `leavesNextTick` is
  /// true, the flush at `exit` leaves all commits pending that the last flush
  /// carried over or received. T4.
  func prepareForExit(leavesNextTick: Bool)

  /// Called when the process exits, before the pending commits are performed for
  /// the last time. No frame follows, and a flush that runs does not go on.
  func processWillExit()

  /// Starts or stops to record commits for a trace.
  func setTraced(_ isTraced: Bool)

  /// Commits a pair that another thread committed, and takes over the reference
  /// to the target.
  ///
  /// - Parameters:
  ///   - selector: The address of the selector's entry.
  ///   - target: The target's address.
  func commitPosted(selector: UInt, target: UInt)

  /// Commits a `PortTransaction` that another thread committed.
  ///
  /// - Parameters:
  ///   - transaction: The address of the `PortTransaction`, which this
  ///     releases.
  ///   - target: The target's address.
  func commitPosted(portTransaction transaction: UInt, target: UInt)

  /// Called before a posted `PortTransaction` is dropped because the loop was
  /// released. The transaction's next commit is then refused and does not join
  /// the dropped commit.
  ///
  /// - Parameter transaction: The address of the `PortTransaction`, which this
  ///   does not release.
  func willDropPosted(portTransaction transaction: UInt)
}

extension EventLoop {
  /// Returns the loop's only part of the given type.
  func part<Part: LoopPart>(_ type: Part.Type) -> Part {
    for part in parts where Swift.type(of: part) == type {
      return unsafeDowncast(part, to: type)
    }
    preconditionFailure("EventLoop: the loop has no part of type \(type)")
  }

  func add(_ part: some LoopPart) { parts.append(part) }

  func remove(_ part: some LoopPart) { parts.removeAll { $0 === part } }

  /// Keeps the loop from blocking or ending until `endPendingWork()`. I2.
  func beginPendingWork() {
    pendingWorkCount += 1
    // Called last, because this may call the host of an embedded loop.
    arm()
  }

  /// Reverts one `beginPendingWork()`.
  func endPendingWork() { pendingWorkCount -= 1 }
}
