/// A component of a loop that another folder or module adds, such as queues,
/// connections or a host.
///
/// The loop calls its parts when it closes, forks or reads metrics, and does
/// not depend on them otherwise. All functions except `loopWasReleased` are
/// called on the loop's thread, in the order the parts were added.
package protocol LoopPart: AnyObject {
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

  /// Called when the process exits, before each of the last passes over the
  /// pending work. Performs work that waits for a later tick, or makes it pending.
  func processWillExit()

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
  package func attach(to loop: EventLoop) {}
  package var holdsAnything: Bool { false }
  package var isUnfinished: Bool { false }
  package var handles: [UnsafeMutableRawPointer] { [] }
  package var unfinishedWork: [String] { [] }
  package var unclosablePlace: String? { nil }
  package func processWillExit() {}
  package func loopWillClose() {}
  package func finish() {}
  package func finishForGood() {}
  package func drop() {}
  package func loopDidClose() {}
  package func loopWasReleased() { loopDidClose() }
  package func leaveInChild() {}
  package func stopInChild(of uv: UVLoop) {}
  package func updateMetrics(_ metrics: MetricsCells) {}
}

extension EventLoop {
  /// Returns the loop's only part of the given type.
  func part<Part: LoopPart>(_ type: Part.Type) -> Part {
    guard let part = existingPart(type) else {
      preconditionFailure("EventLoop: the loop has no part of type \(type)")
    }
    return part
  }

  /// Returns the loop's only part of the given type. Adds the part that `make`
  /// returns if there is none.
  package func part<Part: LoopPart>(_ type: Part.Type, orAdd make: () -> Part) -> Part {
    if let part = existingPart(type) { return part }
    let part = make()
    add(part)
    part.attach(to: self)
    return part
  }

  private func existingPart<Part: LoopPart>(_ type: Part.Type) -> Part? {
    for part in parts where Swift.type(of: part) == type {
      return unsafeDowncast(part, to: type)
    }
    return nil
  }

  func add(_ part: some LoopPart) { parts.append(part) }

  func remove(_ part: some LoopPart) { parts.removeAll { $0 === part } }
}
