/// Finds the holds of one thread in its waits.
///
/// A hold is the time between two waits for the loop's own source. Waits for other
/// sources belong to a loop that is nested in the hold. `execSync` of Node.js runs such
/// a loop.
package struct HoldTracker: Sendable {
  /// The source of the loop; nil before the first wait.
  package private(set) var source: WaitSource?
  /// The time at which the loop's last wait ended; nil during a wait of the loop, and
  /// before the first wait ended.
  package private(set) var heldSince: UInt64?
  /// The number of the loop's waits that have ended.
  package private(set) var ticks: UInt64 = 0
  /// The number of waits that were overwritten before they were read.
  package private(set) var lost: UInt64 = 0
  /// A wait that ends later than its timeout by this time, in ns, begins a hold when it
  /// should have ended: the thread was stopped or had no CPU.
  package var overrunLimit = UInt64.max
  /// The number of the wait that holds the loop, because it has not ended in time.
  private var overdueWait: UInt64?
  private var next: UInt64 = 0
  /// The highest stack address of the loop's waits; 0 if it is not known.
  private var stack: UInt32 = 0
  private var events = 0
  private var polls = 0

  package init() {}

  /// True if the thread runs a loop. A thread that polls a descriptor once or twice
  /// does not.
  package var isLoop: Bool {
    switch source {
    case .epoll: true
    case .poll: polls >= 3
    case nil: false
    }
  }
}

/// The time that a loop spent between two of its waits.
package struct Hold: Equatable, Sendable {
  package var began: UInt64
  package var ended: UInt64
  /// The number of events that the wait before the hold returned.
  package var events: Int

  package var length: UInt64 { ended - began }

  package init(began: UInt64, ended: UInt64, events: Int = 0) {
    (self.began, self.ended, self.events) = (began, ended, events)
  }
}

extension HoldTracker {
  /// Adds a wait, and returns the hold that it ended.
  ///
  /// Waits are added in the order of their numbers. A wait that has not ended may be
  /// added again, until it is added with its end.
  ///
  /// - Parameter isOpen: Returns false if an epoll descriptor has been closed. Called
  ///   when the thread waits for a source other than the loop's.
  package mutating func add(_ wait: Wait, isOpen: (Int32) -> Bool) -> Hold? {
    noteGap(before: wait)
    if source == nil || source != wait.source && isReplaced(by: wait, isOpen) {
      (source, heldSince, polls, stack) = (wait.source, nil, 0, 0)
    }
    guard wait.source == source else { return nil }
    stack = max(stack, wait.stack)
    if let overdueWait, overdueWait == wait.number {
      if wait.ended != nil { finishTick(wait) }
      return nil
    }
    let hold = heldSince.map { held in
      let began = wait.tickBegan ?? held
      return Hold(began: began, ended: max(wait.began, began), events: events)
    }
    heldSince = wait.ended
    if let ended = wait.ended {
      if let due = overrun(of: wait, at: ended) { heldSince = due }
      finishTick(wait)
    }
    return hold
  }

  private mutating func finishTick(_ wait: Wait) {
    overdueWait = nil
    ticks += 1
    polls += 1
    events = max(wait.events, 0)
  }

  /// Begins a hold if `wait`, which has not ended, should have.
  package mutating func noteOverdue(_ wait: Wait, at now: UInt64) {
    guard wait.ended == nil, wait.source == source, heldSince == nil else { return }
    guard let due = overrun(of: wait, at: now) else { return }
    (heldSince, overdueWait) = (due, wait.number)
  }

  /// The time at which the wait should have ended; nil if it did not exceed the limit.
  private func overrun(of wait: Wait, at time: UInt64) -> UInt64? {
    guard let timeout = wait.timeout, overrunLimit < .max else { return nil }
    let due = wait.began + UInt64(timeout) * 1_000_000
    return time.since(due) >= overrunLimit ? due : nil
  }

  /// Ends the hold at `time`, when the thread began to wait for other threads of its
  /// runtime, which poll meanwhile.
  package mutating func park(at time: UInt64) -> Hold? {
    defer { heldSince = nil }
    return heldSince.map { Hold(began: $0, ended: max(time, $0), events: events) }
  }

  /// Begins a hold at `time`, when the thread ran again.
  package mutating func unpark(at time: UInt64) { heldSince = time }

  /// Forgets the time of the last wait if waits were lost since, because the hold
  /// would be too long.
  private mutating func noteGap(before wait: Wait) {
    if wait.number > next {
      lost += wait.number - next
      heldSince = nil
    }
    next = wait.ended == nil ? wait.number : wait.number + 1
  }

  /// True if the loop's own source has been closed, so that `wait` is of a new loop.
  /// A loop that runs at the start of a program may make the first waits.
  private func isReplaced(by wait: Wait, _ isOpen: (Int32) -> Bool) -> Bool {
    // The function with the earlier waits has returned, because a function that it calls
    // has a lower stack. It opened a display, for example.
    if stack > 0, wait.stack > stack { return true }
    return switch (source, wait.source) {
    case (.epoll(let descriptor), .epoll): !isOpen(descriptor)
    // A thread with an epoll loop may poll inside of a callback.
    case (.epoll, .poll), (nil, _): false
    case (.poll, .epoll): true
    case (.poll, .poll): polls < 3
    }
  }
}
