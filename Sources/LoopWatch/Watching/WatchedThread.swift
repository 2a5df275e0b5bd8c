package import LoopbenchKit

/// A loop's thread: its waits so far, and the hold that has not ended.
package final class WatchedThread {
  package let recorded: RecordedThread
  package let files: ThreadFiles
  package let name: String
  package private(set) var tracker = HoldTracker()
  package private(set) var open: OpenHold?
  /// The time of the last capture of its stack.
  package var stoppedAt: UInt64 = 0
  /// The start of the hold for which a stack is being captured.
  package var captured: UInt64?
  /// This hold, if it has ended since.
  package var unfinished: EndedHold?
  /// The last holds of a thread that may run a loop, until that is known.
  private var early: [EarlyHold] = []
  /// True while the thread waits for other threads of its runtime.
  private var isParked = false
  /// The places where it does so.
  private var parkingPlaces: Set<[UInt64]> = []
  /// How many captures without names showed a wait at a place.
  private var namelessWaits: [[UInt64]: Int] = [:]
  /// The last holds, late or not; nil if they are not kept.
  package private(set) var ticks: [Hold]?
  private var nextWait: UInt64 = 0
  private var last: Mark
  private var heldTime: UInt64 = 0

  /// The thread's usage at one moment, and the time it has spent in holds until then.
  package struct Mark {
    package var usage: ThreadUsage
    package var held: UInt64

    /// The mark of a hold's start, which lies between this mark and `first`. Since the
    /// start, the thread cannot have used more than the time that has passed.
    package func moved(to began: UInt64, before first: Mark) -> Mark {
      let length = first.usage.time.since(began)
      func start(_ counter: KeyPath<ThreadUsage, UInt64>) -> UInt64 {
        let (old, new) = (usage[keyPath: counter], first.usage[keyPath: counter])
        return new - min(new.since(old), length, new)
      }
      var mark = first
      mark.usage.time = began
      mark.usage.running = start(\.running)
      mark.usage.waiting = start(\.waiting)
      mark.usage.stolen = usage.stolen
      mark.usage.throttled = usage.throttled
      mark.held -= min(length, first.held)
      return mark
    }
  }

  /// A hold that has not ended.
  package struct OpenHold {
    package let began: UInt64
    /// The usage before the hold began.
    package let before: Mark
    package var observations = EvenSamples<Observation>(limit: 64)
    /// The captures, with the time before each.
    package fileprivate(set) var captures = EvenSamples<(time: UInt64, capture: Capture)>(limit: 16)

    package mutating func add(_ capture: Capture, at time: UInt64) {
      captures.add((time, capture))
    }
  }

  private typealias EarlyHold = (source: WaitSource?, ended: EndedHold)

  /// Nil if the thread has ended.
  ///
  /// - Parameter keepsTicks: Whether to keep the last holds.
  package init?(_ recorded: RecordedThread, keepsTicks: Bool = false) {
    guard
      let files = ThreadFiles(process: recorded.process, thread: recorded.thread),
      let usage = files.usage()
    else { return nil }
    (self.recorded, self.files) = (recorded, files)
    ticks = keepsTicks ? [] : nil
    name = files.name ?? "\(recorded.thread)"
    last = Mark(usage: usage, held: 0)
  }
}

extension WatchedThread {
  /// A hold that ended, with the usage before and after it.
  package struct EndedHold {
    package var hold: Hold
    package var parts: HoldParts
    package var open: OpenHold

    /// The captures from before its end. A capture may wait until symbols were read.
    package var captures: [Capture] {
      open.captures.elements.filter { $0.time <= hold.ended }.map(\.capture)
    }

    fileprivate func lasted(at time: UInt64) -> Bool { open.began <= time && time <= hold.ended }
  }

  /// Reads the waits since the last call.
  ///
  /// - Parameters:
  ///   - log: The source of the waits.
  ///   - now: The time.
  ///   - lengths: Receives the lengths of the holds that ended and were not late.
  ///   - machine: Adds the counters of the machine to a reading. Its second argument is
  ///     true if a hold ended, whose causes they tell.
  /// - Returns: The holds that ended and lasted `threshold` or longer.
  package func advance(
    _ log: some WaitLog,
    now: UInt64,
    threshold: UInt64,
    lengths: inout Histogram,
    machine: (inout ThreadUsage, Bool) -> Void
  ) -> [EndedHold] {
    // The source is nil if the thread is known to run a loop.
    var late: [(early: WaitSource?, hold: Hold, open: UInt64)] = []
    tracker.overrunLimit = threshold
    var hasNews = false
    log.readWaits(entry: recorded.entry, from: nextWait) { wait in
      isParked = false
      nextWait = wait.ended == nil ? wait.number : wait.number + 1
      hasNews = hasNews || wait.ended != nil
      let (source, heldSince) = (tracker.source, tracker.heldSince)
      let hold = tracker.add(wait, isOpen: isEpoll)
      tracker.noteOverdue(wait, at: now)
      guard let hold else { return }
      heldTime += hold.length
      keep(hold)
      if hold.length >= threshold || !tracker.isLoop {
        let open = source == tracker.source ? heldSince : nil
        late.append((tracker.isLoop ? nil : tracker.source, hold, open ?? hold.began))
      } else {
        lengths.record(nanoseconds: Double(hold.length))
      }
    }
    tracker.readAt = now
    guard hasNews || !late.isEmpty || tracker.heldSince != nil || isParked else { return [] }
    // A thread that has ended no longer tells, but its last holds count.
    var usage = files.usage() ?? last.usage
    machine(&usage, !late.isEmpty)
    if isParked, usage.running != last.usage.running {
      isParked = false
      // It ran at any time since the last reading.
      tracker.unpark(at: last.usage.time + usage.time.since(last.usage.time) / 2)
    }
    let mark = Mark(usage: usage, held: heldTime + (tracker.heldSince.map { now.since($0) } ?? 0))
    let holds = late.map { ($0.early, divide($0.hold, open: $0.open, until: mark)) }
    noteOpenHold(mark)
    last = mark
    return takeLateHolds(holds, threshold, &lengths)
  }

  /// Returns the late holds if the thread is known to run a loop. Otherwise, keeps the
  /// holds until it is known.
  private func takeLateHolds(
    _ holds: [EarlyHold],
    _ threshold: UInt64,
    _ lengths: inout Histogram
  ) -> [EndedHold] {
    early += holds
    let isOwn = { [tracker] (hold: EarlyHold) in
      hold.source == nil || tracker.isLoop && hold.source == tracker.source
    }
    let own = early.filter(isOwn).map(\.ended)
    early.removeAll(where: isOwn)
    // 8: a thread is known to run a loop at its third wait, and may run another one before.
    early.removeFirst(max(early.count - 8, 0))
    for ended in own where ended.hold.length < threshold {
      lengths.record(nanoseconds: Double(ended.hold.length))
    }
    return own.filter { $0.hold.length >= threshold }
  }

  /// Ends the hold if the thread is at a place where it waits for other threads of its
  /// runtime. Returns the hold if it lasted `threshold` or longer.
  package func parkIfIdle(threshold: UInt64, lengths: inout Histogram) -> EndedHold? {
    guard
      let open, let place = open.observations.elements.last?.lockPlace,
      parkingPlaces.contains(place)
    else { return nil }
    let busy = open.observations.elements.last { $0.lockPlace != place }
    isParked = true
    return endHold(at: busy?.time ?? open.began, threshold: threshold, lengths: &lengths)
  }

  /// See `HoldTracker.assumeHold`.
  package func assumeHold(since time: UInt64) { tracker.assumeHold(since: time) }

  /// Ends the hold at `time`, although the thread has not waited. Returns the hold if it
  /// lasted `threshold` or longer.
  package func endHold(
    at time: UInt64,
    threshold: UInt64,
    lengths: inout Histogram
  ) -> EndedHold? {
    defer { open = nil }
    guard let open, let hold = tracker.park(at: time) else { return nil }
    heldTime += hold.length
    guard hold.length < threshold else { return divide(hold, open: open.began, until: last) }
    lengths.record(nanoseconds: Double(hold.length))
    return nil
  }

  /// The open hold, as if it ended at `time`.
  package func openHold(at time: UInt64) -> EndedHold? {
    var tracker = tracker
    guard let open, let hold = tracker.park(at: time) else { return nil }
    return divide(hold, open: open.began, until: last)
  }

  /// The time until which the open hold is known to have lasted: `now`, or earlier if the
  /// thread has ended or has closed its loop.
  package func heldUntil(_ now: UInt64) -> UInt64 {
    guard files.observe() == nil || !hasSource else { return now }
    return max(open?.observations.elements.last?.time ?? 0, last.usage.time)
  }

  /// False if the loop's epoll descriptor has been closed.
  private var hasSource: Bool {
    guard case .epoll(let descriptor) = tracker.source else { return true }
    return isEpoll(descriptor)
  }

  private func isEpoll(_ descriptor: Int32) -> Bool {
    ProcessFile.isEpoll(descriptor, of: recorded.process)
  }

  private func keep(_ hold: Hold) {
    guard ticks != nil else { return }
    ticks?.append(hold)
    if ticks?.count == WatchLoad.mostTicks * 2 { ticks?.removeFirst(WatchLoad.mostTicks) }
  }

  /// - Parameter began: The begin of the hold while it was open, which may be less exact.
  private func divide(_ hold: Hold, open began: UInt64, until mark: Mark) -> EndedHold {
    let open =
      self.open.flatMap { $0.began == began ? $0 : nil } ?? OpenHold(began: began, before: last)
    var mark = mark
    if hold.ended <= last.usage.time {
      // It ended at the last reading, because waits were overwritten. The time that the
      // thread waited for a CPU was counted afterwards.
      (mark.usage.running, mark.held) = (last.usage.running, last.held)
    }
    let outside = mark.held.since(open.before.held).since(hold.length)
    let parts = HoldParts(
      length: hold.length,
      from: open.before.usage,
      to: mark.usage,
      outside: outside,
      observations: open.observations.elements.filter { $0.time <= hold.ended }
    )
    return EndedHold(hold: hold, parts: parts, open: open)
  }

  private func noteOpenHold(_ mark: Mark) {
    guard let began = tracker.heldSince else { return open = nil }
    guard open?.began != began else { return }
    open = OpenHold(began: began, before: last.moved(to: began, before: mark))
  }

  /// Adds an observation to the open hold. Returns false if the thread has ended or has
  /// closed its loop.
  package func observe() -> Bool {
    guard open != nil, let observation = files.observe(), hasSource else { return false }
    add(observation)
    return true
  }

  package func add(_ observation: Observation) {
    // For a capture, this watch itself traces the thread.
    guard captured == nil || !observation.isTraced else { return }
    open?.observations.add(observation)
  }

  /// True for a thread that polls, and is not the main thread.
  package var isHelper: Bool {
    guard case .poll = tracker.source else { return false }
    return recorded.thread != recorded.process
  }

  /// Changes the hold that lasted at `time`, unless it was returned.
  package func changeHold(at time: UInt64, _ change: (inout OpenHold) -> Void) {
    if var hold = open, hold.began <= time {
      change(&hold)
      open = hold
    } else if var ended = unfinished, ended.lasted(at: time) {
      change(&ended.open)
      unfinished = ended
    } else if let index = early.firstIndex(where: { $0.ended.lasted(at: time) }) {
      change(&early[index].ended.open)
    }
  }
}

extension WatchedThread {
  /// Remembers where the thread waits now, because its stack shows a wait for other
  /// threads of its runtime.
  ///
  /// - Parameters:
  ///   - place: Where the thread waited just before; nil if it did not.
  ///   - isCertain: False if the stack has no names. The place is then remembered when it
  ///     was seen in three captures.
  package func learnParking(at place: [UInt64]?, isCertain: Bool) {
    guard let place else { return }
    // Both are bounded, because a program can have any number of places.
    if !isCertain {
      if namelessWaits.count == 64 { namelessWaits = [:] }
      namelessWaits[place, default: 0] += 1
      guard namelessWaits[place] == 3 else { return }
    }
    if parkingPlaces.count == 16 { parkingPlaces = [] }
    parkingPlaces.insert(place)
  }
}

extension WatchedThread.OpenHold {
  mutating func add(
    _ captured: StackCaptures.Captured,
    after observation: Observation?
  ) {
    let state = observation?.state ?? .runnable
    if case .stack(let frames) = captured.outcome {
      add(Capture(stack: frames.running(captured.work), state: state), at: captured.began)
    } else if let frame = captured.work?.frame {
      add(Capture(stack: [frame], state: state), at: captured.began)
    }
  }
}

/// Samples of a span whose length is not known, evenly spaced: when there are too
/// many, every second one is dropped and the interval doubles.
package struct EvenSamples<Element> {
  package private(set) var elements: [Element] = []
  private let limit: Int
  private var interval = 1

  package init(limit: Int) { self.limit = limit }

  /// The number of intervals after which the next sample is due.
  package var nextDue: Int { (elements.count + 1) * interval }

  package mutating func add(_ element: Element) {
    elements.append(element)
    guard elements.count == limit else { return }
    elements = elements.enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
    interval *= 2
  }
}
