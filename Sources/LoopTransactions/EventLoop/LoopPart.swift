/// Something that another folder adds to a loop: transactions, queues, a host.
///
/// The loop calls its parts where closing, forking or counting concerns them, and
/// knows nothing else of them. Each is called on the loop's thread, in the order the
/// parts were added.
protocol LoopPart: AnyObject {
  /// Belongs to `loop` from now on.
  func attach(to loop: EventLoop)

  /// Whether the part holds something that closing the loop has to drop.
  var holdsAnything: Bool { get }

  /// Whether the part has started something that closing the loop has to finish.
  var isUnfinished: Bool { get }

  /// The part's libuv handles.
  var handles: [UnsafeMutableRawPointer] { get }

  /// The callback under way in which the loop must not be closed, for a message.
  var unclosablePlace: String? { get }

  /// Refuses work from other threads: the loop closes.
  func loopWillClose()

  /// Performs everything that waits. Called repeatedly, for parts pass work on to
  /// each other.
  func finish()

  /// Refuses all work from now on, and performs the rest.
  func finishForGood()

  /// Drops everything. Called repeatedly, for a release may add something.
  func drop()

  /// Leaves the loop, which is closed.
  func loopDidClose()

  /// Drops everything and leaves the loop, which was released while it was open.
  /// On any thread.
  func loopWasReleased()

  /// Leaves the loop of the parent process: performs, drops and unlocks nothing.
  func leaveInChild()

  /// Keeps the part's handles from waking this process, a child, for the parent's
  /// events.
  func stopInChild(of uv: UVLoop)

  /// Writes the part's gauges.
  func updateMetrics(_ metrics: MetricsCells)
}

extension LoopPart {
  func attach(to loop: EventLoop) {}
  var holdsAnything: Bool { false }
  var isUnfinished: Bool { false }
  var handles: [UnsafeMutableRawPointer] { [] }
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

/// A host that runs the loop by turns.
protocol LoopHost: LoopPart {
  /// The time until the next turn may have become shorter.
  func loopChanged()
}

/// The commits that wait, as the loop's tick sees them.
protocol PendingCommits: LoopPart {
  /// How many pairs are pending.
  var count: Int { get }

  /// Performs what is pending now, within the budget.
  func flush()

  /// The `exit` observers are about to be called. If `leavesNextTick`, their flush
  /// leaves the commits that the last flush left or received. T4.
  func prepareForExit(leavesNextTick: Bool)

  /// Commits what another thread committed; takes over its reference to the target.
  ///
  /// - Parameters:
  ///   - selector: The address of the selector's entry.
  ///   - target: The target's address.
  func commitPosted(selector: UInt, target: UInt)

  /// Commits a kept transaction that another thread committed.
  ///
  /// - Parameters:
  ///   - transaction: The address of a `PortTransaction`, which this releases.
  ///   - target: As above.
  func commitPosted(portTransaction transaction: UInt, target: UInt)

  /// A kept transaction that another thread committed will be dropped: the loop was
  /// released. Its next commit is refused instead of joining this one.
  ///
  /// - Parameter transaction: The address of a `PortTransaction`, which stays retained.
  func willDropPosted(portTransaction transaction: UInt)
}

extension EventLoop {
  /// The part of the given type. The loop has one of each.
  func part<Part: LoopPart>(_ type: Part.Type) -> Part {
    for part in parts where Swift.type(of: part) == type {
      return unsafeDowncast(part, to: type)
    }
    preconditionFailure("EventLoop: the loop was made without its \(type)")
  }

  /// Adds `part`, until it is removed.
  func add(_ part: some LoopPart) { parts.append(part) }

  /// Removes `part`.
  func remove(_ part: some LoopPart) { parts.removeAll { $0 === part } }

  /// Keeps the loop from blocking and from ending until `endPendingWork()`. I2.
  func beginPendingWork() {
    pendingWorkCount += 1
    // Last: it may call the host of an embedded loop.
    arm()
  }

  /// Undoes one `beginPendingWork()`.
  func endPendingWork() { pendingWorkCount -= 1 }
}
