/// The states of a layer between being invalidated and being shown.
///
/// Belongs to the loop. A transition returns the resulting actions in order.
/// The state draws nothing, calls no user code and does not refer to bitmaps.
///
/// ```text
///   invalidate            begin                  end
///   ──────────► scheduled ─────► clean + a run ──────► shown, reported
///                   ▲                  │
///         request   │                  │ cancel
///                 dirty ◄──────────────┘ reported when it ended
/// ```
///
/// D2: each run is reported once, in the order of generations. D3: only a newer
/// display replaces the contents. D4: invalidating does not cancel. The current
/// run ends first, and the next run begins after it. D5: cancelling leaves the
/// layer dirty.
struct DisplayState: Hashable {
  /// Whether the layer must be displayed.
  enum Need: Hashable, Sendable {
    /// The contents are up to date, or the current display will make them so.
    case clean
    /// The display was cancelled. The layer is displayed after another display
    /// is requested.
    case dirty
    /// The next display commit displays the layer.
    case scheduled
  }

  /// The reasons why no display may begin.
  struct Holds: OptionSet, Hashable, Sendable {
    let rawValue: UInt8
    init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The user suspended the layer.
    static let suspended = Holds(rawValue: 1)
    /// The layer is not in a window.
    static let detached = Holds(rawValue: 2)
    /// The images to draw have not been decoded yet.
    static let preparing = Holds(rawValue: 4)
    /// The layer has been deallocated.
    static let gone = Holds(rawValue: 8)
    /// The layer is shown as part of a flattened picture.
    static let flattened = Holds(rawValue: 16)
  }

  /// How a run ended.
  enum End: Hashable, Sendable {
    case drawn
    case cleared
    case failed
    /// The run's operation was cancelled from outside, for example by a closing
    /// loop.
    case cancelled
  }

  /// An action that follows from a transition.
  enum Action: Hashable, Sendable {
    /// Make this generation's bitmap the contents.
    case show(UInt64)
    /// Remove the contents.
    case clear
    /// Report to this generation's task how the display ended.
    case notify(UInt64, End)
    /// Request a display commit.
    case schedule
    /// Cancel this generation, which may be running.
    case stop(UInt64)
  }

  struct Run: Hashable {
    let generation: UInt64
    var isCancelled = false
  }

  /// The newest generation. Every display, invalidation and cancellation gets a
  /// new generation.
  private(set) var generation: UInt64 = 0
  /// The generation of the contents.
  private(set) var shown: UInt64 = 0
  private(set) var need = Need.clean
  private(set) var holds: Holds = []
  // Runs that have not been reported, oldest first. All runs but the last are
  // cancelled.
  private(set) var runs: [Run] = []

  init() {}

  /// Whether the contents are out of date, or a display is under way.
  var isUnfinished: Bool { need != .clean || isRunning }

  /// Whether a display is under way and not cancelled.
  var isRunning: Bool { runs.last.map { !$0.isCancelled } ?? false }

  /// Whether the display commit may begin a display.
  var canBegin: Bool { need == .scheduled && holds.isEmpty && !isRunning }

  /// The generation of the latest run, or 0 if that run has been reported.
  var newestRun: UInt64 { runs.last?.generation ?? 0 }

  /// The number of displays that have begun and not been reported.
  var unreportedCount: Int { runs.count }
}

// Requests that the user of a layer makes.
extension DisplayState {
  /// Marks the contents as out of date.
  mutating func invalidate() -> [Action] {
    defer { checkInvariants() }
    guard !holds.contains(.gone) else { return [] }
    generation += 1
    return schedule()
  }

  /// Schedules a display if the layer is dirty.
  mutating func requestDisplay() -> [Action] {
    defer { checkInvariants() }
    return need == .dirty ? schedule() : []
  }

  /// Cancels all runs. No display begins until a display is requested again.
  mutating func cancel() -> [Action] {
    defer { checkInvariants() }
    generation += 1
    if isRunning || need == .scheduled { need = .dirty }
    return stopRuns()
  }

  /// Prevents displays from beginning until `hold` is released. Cancels the
  /// current display, unless `hold` is `.preparing`, which only delays the next
  /// display.
  mutating func hold(_ hold: Holds) -> [Action] {
    defer { checkInvariants() }
    holds.insert(hold)
    guard hold != .preparing else { return [] }
    let wasRunning = isRunning
    if wasRunning { (generation, need) = (generation + 1, .scheduled) }
    if holds.contains(.gone) { need = .clean }
    return wasRunning ? stopRuns() : []
  }

  /// Releases `hold`. Schedules a display that was cancelled, unless `hold` is
  /// `.preparing`.
  mutating func release(_ hold: Holds) -> [Action] {
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
  /// Cancels the current displays and begins another. Its generation is the new
  /// value of `generation`.
  mutating func begin() -> [Action] {
    defer { checkInvariants() }
    assert(!holds.contains(.gone), "DisplayState.begin: the layer has been deallocated")
    generation += 1
    need = .clean
    let actions = stopRuns()
    runs.append(Run(generation: generation))
    return actions
  }

  /// Whether `generation` may still be shown.
  func isLive(_ generation: UInt64) -> Bool {
    runs.last.map { $0.generation == generation && !$0.isCancelled } ?? false
  }

  /// Ends the display of `generation`. All earlier runs are cancelled. They are
  /// reported first, even if their operations are still running, so nothing
  /// waits for a cancelled display.
  mutating func end(_ ended: UInt64, _ end: End) -> [Action] {
    defer { checkInvariants() }
    guard let index = runs.firstIndex(where: { $0.generation == ended }) else { return [] }
    var actions = runs[..<index].map { Action.notify($0.generation, .cancelled) }
    let run = runs[index]
    runs.removeSubrange(...index)
    actions += run.isCancelled ? [.notify(ended, .cancelled)] : finish(ended, end)
    // An invalidation during the display schedules the next display.
    if canBegin { actions.append(.schedule) }
    return actions
  }

  private mutating func finish(_ ended: UInt64, _ end: End) -> [Action] {
    assert(ended > shown, "DisplayState: generation \(ended) ended after \(shown) was shown")
    switch end {
    case .drawn:
      shown = ended
      return [.show(ended), .notify(ended, end)]
    case .cleared:
      shown = ended
      return [.clear, .notify(ended, end)]
    case .failed: return [.notify(ended, end)]
    case .cancelled:
      if need == .clean { need = .dirty }
      return [.notify(ended, end)]
    }
  }

  func checkInvariants() {
    assert(
      shown <= generation,
      "DisplayState: shows generation \(shown), but the newest is \(generation)"
    )
    for (index, run) in runs.enumerated() {
      let (isLast, last) = (index == runs.count - 1, index > 0 ? runs[index - 1].generation : shown)
      assert(isLast || run.isCancelled, "DisplayState: old run \(run.generation) is not cancelled")
      assert(
        run.generation > last,
        "DisplayState: generation \(run.generation) began after \(last)"
      )
      assert(
        run.generation <= generation,
        "DisplayState: runs generation \(run.generation), but the newest is \(generation)"
      )
    }
  }
}
