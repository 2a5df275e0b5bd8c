/// Finds the holds of one thread in its waits.
///
/// A hold is the time between two waits for the loop's own source. Waits for other
/// sources belong to a loop that is nested in the hold. `execSync` of Node.js runs such
/// a loop.
package struct HoldTracker: Sendable {
  /// The number of the loop's waits that have ended.
  package private(set) var ticks: UInt64 = 0
  /// The number of waits that were overwritten before they were read.
  package private(set) var lost: UInt64 = 0
  /// A wait that ends later than its timeout by this time, in ns, begins a hold when it
  /// should have ended: the thread was stopped or had no CPU.
  package var overrunLimit = UInt64.max
  /// The time at which the waits so far were read.
  package var readAt: UInt64 = 0
  private var loop: Loop?
  /// The time since which the thread may hold a loop that has not waited yet.
  private var assumedSince: UInt64?
  /// The loop that `loop` has replaced, if it may be further out on the stack.
  private var outer: Loop?
  /// The number of the wait that holds the loop, because it has not ended in time.
  private var overdueWait: UInt64?
  private var next: UInt64 = 0

  /// The waits for one source.
  private struct Loop {
    let source: WaitSource
    /// Nil during a wait, and before the first wait ended.
    var heldSince: UInt64?
    /// The highest stack address of the waits; 0 if it is not known.
    var stack: UInt32 = 0
    var events = 0
    /// The number of waits that have ended.
    var waits = 0

    init(source: WaitSource, heldSince: UInt64? = nil) {
      (self.source, self.heldSince) = (source, heldSince)
    }
  }

  package init() {}

  /// The source of the loop; nil before the first wait.
  package var source: WaitSource? { loop?.source }

  /// The time at which the loop's last wait ended; nil during a wait of the loop, and
  /// before the first wait ended.
  package private(set) var heldSince: UInt64? {
    get { loop == nil ? assumedSince : loop?.heldSince }
    set { if loop == nil { assumedSince = newValue } else { loop?.heldSince = newValue } }
  }

  /// Begins a hold at `time` if the thread has not waited yet, because it may have a loop.
  /// Its first wait tells.
  package mutating func assumeHold(since time: UInt64) {
    if loop == nil { assumedSince = assumedSince ?? time }
  }

  /// True if the thread runs a loop. A thread that polls a descriptor once or twice
  /// does not.
  package var isLoop: Bool {
    switch source {
    case .epoll: true
    case .poll: isPolling
    case nil: false
    }
  }

  private var isPolling: Bool { loop.map { $0.waits >= 3 } ?? false }
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
    let gap = noteGap(before: wait)
    let cut = choose(for: wait, isOpen) ?? gap
    guard wait.source == source else { return cut }
    if let stack = loop?.stack, wait.stack > stack { loop?.stack = wait.stack }
    if let overdueWait, overdueWait == wait.number {
      if wait.ended != nil { finishTick(wait) }
      return cut
    }
    let hold = heldSince.map { held in
      let began = wait.tickBegan ?? held
      return Hold(began: began, ended: max(wait.began, began), events: loop?.events ?? 0)
    }
    heldSince = wait.ended
    if let ended = wait.ended {
      if let due = overrun(of: wait, at: ended) { heldSince = due }
      finishTick(wait)
    }
    return cut ?? hold
  }

  private mutating func finishTick(_ wait: Wait) {
    overdueWait = nil
    ticks += 1
    loop?.waits += 1
    loop?.events = max(wait.events, 0)
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
    return heldSince.map { Hold(began: $0, ended: max(time, $0), events: loop?.events ?? 0) }
  }

  /// Begins a hold at `time`, when the thread ran again.
  package mutating func unpark(at time: UInt64) { heldSince = time }

  /// Ends the hold if waits were lost since.
  private mutating func noteGap(before wait: Wait) -> Hold? {
    defer { next = wait.ended == nil ? wait.number : wait.number + 1 }
    guard wait.number > next else { return nil }
    lost += wait.number - next
    outer?.heldSince = nil
    return endAtReading()
  }

  /// Ends the hold at the last reading. It ended later, but the time is not known.
  private mutating func endAtReading() -> Hold? {
    park(at: readAt).flatMap { $0.length > 0 ? $0 : nil }
  }

  /// Chooses the loop that `wait` belongs to. Returns the last hold of a loop that was
  /// closed.
  private mutating func choose(for wait: Wait, _ isOpen: (Int32) -> Bool) -> Hold? {
    guard let loop else {
      self.loop = Loop(source: wait.source, heldSince: assumedSince)
      return nil
    }
    guard wait.source != loop.source, isReplaced(loop, by: wait, isOpen) else { return nil }
    defer { replace(loop, by: wait) }
    guard case .epoll(let descriptor) = loop.source, !isOpen(descriptor) else { return nil }
    return endAtReading()
  }

  private mutating func replace(_ loop: Loop, by wait: Wait) {
    let isOutside = wait.stack > loop.stack
    if var outer, outer.source == wait.source, isOutside || wait.stack == 0 {
      // Otherwise the thread ran another loop meanwhile, and not one callback.
      if loop.waits > Self.mostNestedWaits { outer.heldSince = nil }
      (self.loop, self.outer) = (outer, isOutside ? nil : loop)
      return
    }
    if case .poll = loop.source, !isOutside, loop.stack >= outer?.stack ?? 0 { outer = loop }
    self.loop = Loop(source: wait.source)
  }

  // Not measured.
  private static let mostNestedWaits = 16

  /// True if `wait` is of a new loop. A loop that runs at the start of a program may make
  /// the first waits.
  private func isReplaced(_ loop: Loop, by wait: Wait, _ isOpen: (Int32) -> Bool) -> Bool {
    // The function with the earlier waits has returned, because a function that it calls
    // has a lower stack. It opened a display, for example.
    if loop.stack > 0, wait.stack > loop.stack { return true }
    return switch (loop.source, wait.source) {
    case (.epoll(let descriptor), .epoll): !isOpen(descriptor)
    // A thread with an epoll loop may poll inside of a callback.
    case (.epoll, .poll): false
    case (.poll, .epoll): true
    case (.poll, .poll): !isPolling
    }
  }
}
