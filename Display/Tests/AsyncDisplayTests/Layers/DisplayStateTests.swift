import AsyncDisplay
import Testing

@Suite("DisplayState")
struct DisplayStateTests {
  // D2, D3, D4, D5
  @Test(
    "every order of three actors' steps keeps the ledger, however displays end",
    arguments: DisplayState.End.all,
    DisplayState.Holds.each
  )
  func everyOrder(_ end: DisplayState.End, _ hold: DisplayState.Holds) {
    let actors: [[Step]] = [
      [.invalidate, .cancel, .displayNow],
      [.commit],
      [.endOldest, .endNewest, .hold, .release],
    ]
    var breaches: [String] = []
    // Orders that lead to the same place are followed from there once.
    var reached = [Place(ledger: StateLedger(end, hold)): [Step]()]
    for _ in 0..<3 * Place.steps {
      var next: [Place: [Step]] = [:]
      for (place, path) in reached {
        for actor in actors.indices where place.left[actor] > 0 {
          for step in actors[actor] {
            var place = place
            place.left[actor] -= 1
            place.ledger.make(step)
            next[place] = path + [step]
          }
        }
      }
      reached = next
    }
    for (place, path) in reached {
      var ledger = place.ledger
      if let breach = ledger.settle() { breaches.append("\(breach): \(path)") }
    }
    #expect(reached.count > (Workload.isShort ? 70 : 700))
    #expect(breaches.sorted().first == nil)
  }

  enum Step { case invalidate, cancel, displayNow, commit, endOldest, endNewest, hold, release }

  /// What three actors have come to, and how many steps each has left.
  private struct Place: Hashable {
    var ledger: StateLedger
    var left = [steps, steps, steps]

    static let steps = Workload.isShort ? 3 : 4
  }
}

/// What a state promised, and what it did. Operations end when a step says so.
private struct StateLedger: Hashable {
  // How every display ends, and what holds the layer.
  private let end: DisplayState.End
  private let hold: DisplayState.Holds
  private var state = DisplayState()
  // Drawn by workers and not ended, oldest first.
  private var inFlight: [UInt64] = []
  private var begun: [UInt64] = []
  private var told: [UInt64] = []
  private var shown: UInt64 = 0
  private var line: UInt64 = 0
  private var isOwed = false
  private var breach: String?

  init(_ end: DisplayState.End, _ hold: DisplayState.Holds) {
    (self.end, self.hold) = (end, hold)
  }

  // Whether an end replaces what is shown.
  private var shows: Bool { end == .drawn || end == .cleared }

  mutating func make(_ step: DisplayStateTests.Step) {
    switch step {
    case .invalidate: follow(state.invalidate())
    case .cancel:
      // Nothing that was begun may be shown after it.
      line = state.generation
      follow(state.cancel())
      if state.need == .scheduled { breach = "cancelled, and scheduled" }
    case .displayNow:
      guard state.holds.isEmpty else { return }
      line = state.generation
      follow(state.begin())
      begun.append(state.generation)
      follow(state.end(state.generation, end))
      if shows, shown != begun.last { breach = "displayed now, and not shown" }
    case .commit:
      isOwed = false
      guard state.canBegin else { return }
      if state.isRunning { breach = "two at a time" }
      follow(state.begin())
      begun.append(state.generation)
      inFlight.append(state.generation)
    case .endOldest: if !inFlight.isEmpty { end(inFlight.removeFirst()) }
    case .endNewest: if let last = inFlight.popLast() { end(last) }
    case .hold:
      // What is only being prepared cancels nothing.
      if hold != .preparing { line = state.generation }
      follow(state.hold(hold))
    case .release: follow(state.release(hold))
    }
  }

  private mutating func end(_ generation: UInt64) {
    let wasLive = state.isLive(generation)
    follow(state.end(generation, end))
    // D4: what was not cancelled is shown, however often it was invalidated.
    if wasLive, shows, shown != generation { breach = "ended, and not shown" }
    // D5: what somebody else cancelled is not done.
    if wasLive, end == .cancelled, state.need == .clean { breach = "cancelled, and clean" }
  }

  private mutating func follow(_ actions: [DisplayState.Action]) {
    for action in actions {
      switch action {
      case .show(let generation): show(generation)
      case .clear: show(state.shown)
      case .notify(let generation, _):
        if generation <= told.last ?? 0 { breach = "told out of order" }
        told.append(generation)
      case .schedule: isOwed = true
      case .stop: break
      }
    }
  }

  private mutating func show(_ generation: UInt64) {
    if generation <= shown { breach = "an older one shown" }
    if generation <= line { breach = "shown after it was cancelled" }
    shown = generation
    if !shows { breach = "shown, and not drawn" }
  }

  /// Lets everything end; what was not as promised.
  mutating func settle() -> String? {
    follow(state.release(hold))
    for _ in 0..<4 {
      while !inFlight.isEmpty { make(.endOldest) }
      // Whoever is to be displayed has asked for the commit.
      if state.canBegin, !isOwed { breach = "to be displayed, and nobody comes" }
      make(.commit)
    }
    if told != begun { breach = breach ?? "will \(begun), did \(told)" }
    if state.isRunning || state.unreportedCount > 0 { breach = breach ?? "never ends" }
    if state.need == .scheduled { breach = breach ?? "never displayed" }
    return breach
  }
}

extension DisplayState.End {
  fileprivate static let all: [Self] = [.drawn, .cleared, .failed, .cancelled]
}

extension DisplayState.Holds {
  fileprivate static let each: [Self] = [.suspended, .detached, .preparing, .gone, .flattened]
}
