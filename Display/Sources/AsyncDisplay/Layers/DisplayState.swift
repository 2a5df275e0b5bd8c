/// Where a layer is between being invalidated and being shown.
///
/// Of the loop. A transition returns what follows, in order; nothing here draws, calls
/// anybody or knows a bitmap.
///
/// ```text
///   invalidate            begin                  end
///   ──────────► scheduled ─────► clean + a run ──────► shown, told
///                   ▲                  │
///         ask again │                  │ cancel
///                 dirty ◄──────────────┘ told when it ended
/// ```
///
/// D2: a run is told once, in the order of generations. D3: only a newer one replaces
/// what is shown. D4: invalidating does not cancel; a run that is under way ends, and
/// the next begins after it. D5: cancelling leaves the layer dirty.
package struct DisplayState: Hashable {
  /// Whether the layer is to be displayed.
  package enum Need: Hashable, Sendable {
    /// What is shown, or drawn now, is the newest.
    case clean
    /// It is to be displayed as soon as somebody asks: its display was cancelled.
    case dirty
    /// It is to be displayed by the next display commit.
    case scheduled
  }

  /// Why nothing begins.
  package struct Holds: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Its user wants it to rest.
    package static let suspended = Holds(rawValue: 1)
    /// It is in no window.
    package static let detached = Holds(rawValue: 2)
    /// What it draws is not loaded.
    package static let preparing = Holds(rawValue: 4)
    /// There is no layer any more.
    package static let gone = Holds(rawValue: 8)
    /// It is shown as a part of a flat picture.
    package static let flattened = Holds(rawValue: 16)
  }

  /// How a run ended.
  package enum End: Hashable, Sendable {
    case drawn
    case cleared
    case failed
    /// Somebody else cancelled its operation.
    case cancelled
  }

  /// What follows from a transition.
  package enum Action: Hashable, Sendable {
    /// Make what this generation drew the contents.
    case show(UInt64)
    /// Take the contents away.
    case clear
    /// Tell this generation's task how it ended.
    case tell(UInt64, End)
    /// See to it that the display commit comes by.
    case schedule
    /// Tell this generation, which may be running, to stop.
    case stop(UInt64)
  }

  struct Run: Hashable {
    let generation: UInt64
    var isCancelled = false
  }

  /// The newest: each display and each invalidation has one of its own.
  package private(set) var generation: UInt64 = 0
  /// The one that is shown.
  package private(set) var shown: UInt64 = 0
  package private(set) var need = Need.clean
  package private(set) var holds: Holds = []
  // Those that were not told, oldest first. All but the last are cancelled.
  private(set) var runs: [Run] = []

  package init() {}

  /// Whether it shows less than it should, or draws it now.
  package var isUnfinished: Bool { need != .clean || isRunning }

  /// Whether a display is under way that was not cancelled.
  package var isRunning: Bool { runs.last.map { !$0.isCancelled } ?? false }

  /// Whether the display commit may begin a display.
  package var canBegin: Bool { need == .scheduled && holds.isEmpty && !isRunning }

  /// The generation of the display begun last, if it was not told.
  var newestRun: UInt64 { runs.last?.generation ?? 0 }

  /// How many displays were begun and not told.
  package var untold: Int { runs.count }
}

// What its user wants.
extension DisplayState {
  /// What is shown is not the newest any more.
  package mutating func invalidate() -> [Action] {
    defer { checkInvariants() }
    guard !holds.contains(.gone) else { return [] }
    generation += 1
    return schedule()
  }

  /// It is to be displayed, if it is dirty.
  package mutating func ask() -> [Action] {
    defer { checkInvariants() }
    return need == .dirty ? schedule() : []
  }

  /// Nothing that was begun is shown any more, and nothing begins until asked again.
  package mutating func cancel() -> [Action] {
    defer { checkInvariants() }
    generation += 1
    if isRunning || need == .scheduled { need = .dirty }
    return stopRuns()
  }

  /// Nothing begins while `hold` holds; what is under way is cancelled, unless it is
  /// only being prepared for the next.
  package mutating func hold(_ hold: Holds) -> [Action] {
    defer { checkInvariants() }
    holds.insert(hold)
    guard hold != .preparing else { return [] }
    let wasRunning = isRunning
    if wasRunning { (generation, need) = (generation + 1, .scheduled) }
    if holds.contains(.gone) { need = .clean }
    return wasRunning ? stopRuns() : []
  }

  /// `hold` holds no more. What was cancelled meanwhile is displayed after all, unless
  /// it was only being prepared.
  package mutating func release(_ hold: Holds) -> [Action] {
    defer { checkInvariants() }
    guard holds.contains(hold), hold != .gone else { return [] }
    holds.remove(hold)
    if need == .dirty, hold != .preparing { need = .scheduled }
    return canBegin ? [.schedule] : []
  }

  private mutating func schedule() -> [Action] {
    need = .scheduled
    return canBegin ? [.schedule] : []
  }

  private mutating func stopRuns() -> [Action] {
    var actions: [Action] = []
    for index in runs.indices where !runs[index].isCancelled {
      runs[index].isCancelled = true
      actions.append(.stop(runs[index].generation))
    }
    return actions
  }
}

// Displays.
extension DisplayState {
  /// A display begins, after those under way were cancelled. Its number is the new
  /// `generation`.
  package mutating func begin() -> [Action] {
    defer { checkInvariants() }
    assert(!holds.contains(.gone), "DisplayState: a layer that is gone is not displayed")
    generation += 1
    need = .clean
    let actions = stopRuns()
    runs.append(Run(generation: generation))
    return actions
  }

  /// Whether `generation` may still be shown.
  package func isLive(_ generation: UInt64) -> Bool {
    runs.last.map { $0.generation == generation && !$0.isCancelled } ?? false
  }

  /// The display of `generation` ended. Those before it were cancelled, and are told
  /// first, whether they have ended or not: nothing waits for what nobody wants.
  package mutating func end(_ ended: UInt64, _ end: End) -> [Action] {
    defer { checkInvariants() }
    guard let index = runs.firstIndex(where: { $0.generation == ended }) else { return [] }
    var actions = runs[..<index].map { Action.tell($0.generation, .cancelled) }
    let run = runs[index]
    runs.removeSubrange(...index)
    actions += run.isCancelled ? [.tell(ended, .cancelled)] : finish(ended, end)
    // D4: what was invalidated meanwhile comes next.
    if canBegin { actions.append(.schedule) }
    return actions
  }

  private mutating func finish(_ ended: UInt64, _ end: End) -> [Action] {
    assert(ended > shown, "DisplayState: only what is newer replaces what is shown")
    switch end {
    case .drawn:
      shown = ended
      return [.show(ended), .tell(ended, end)]
    case .cleared:
      shown = ended
      return [.clear, .tell(ended, end)]
    case .failed: return [.tell(ended, end)]
    case .cancelled:
      if need == .clean { need = .dirty }
      return [.tell(ended, end)]
    }
  }

  package func checkInvariants() {
    assert(shown <= generation, "DisplayState: nothing is newer than the newest")
    for (index, run) in runs.enumerated() {
      let (isLast, last) = (index == runs.count - 1, index > 0 ? runs[index - 1].generation : shown)
      assert(isLast || run.isCancelled, "DisplayState: one display at a time can be shown")
      assert(run.generation > last, "DisplayState: generations are in order, after what is shown")
      assert(run.generation <= generation, "DisplayState: nothing is newer than the newest")
    }
  }
}
