@testable import AsyncDisplay
import Testing

@Suite("DisplayState")
struct DisplayStateTests {
  // D2, D3, D4, D5
  @Test(
    "every interleaving of three actors keeps the ledger consistent, for every way a display can end",
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
    // If several interleavings reach the same state, only the first one
    // continues from it.
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

  /// The state that the three actors have reached, and the remaining steps of
  /// each actor.
  private struct Place: Hashable {
    var ledger: StateLedger
    var left = [steps, steps, steps]

    static let steps = Workload.isShort ? 3 : 4
  }
}

/// Checks the actions of a state against the promises of a layer. Operations
/// end when a step ends them.
private struct StateLedger: Hashable {
  // The way in which every display ends, and the hold that the steps use.
  private let end: DisplayState.End
  private let hold: DisplayState.Holds
  private var state = DisplayState()
  // The displays on workers that have not ended, oldest first.
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

  // Whether the end of a display replaces the contents.
  private var shows: Bool { end == .drawn || end == .cleared }

  mutating func make(_ step: DisplayStateTests.Step) {
    switch step {
    case .invalidate: follow(state.invalidate())
    case .cancel:
      // Displays that began before this line must not be shown later.
      line = state.generation
      follow(state.cancel())
      if state.need == .scheduled { breach = "a cancelled layer is still scheduled" }
    case .displayNow:
      guard state.holds.isEmpty else { return }
      line = state.generation
      follow(state.begin())
      begun.append(state.generation)
      follow(state.end(state.generation, end))
      if shows, shown != begun.last { breach = "displayNow() did not show its contents" }
    case .commit:
      isOwed = false
      guard state.canBegin else { return }
      if state.isRunning { breach = "two displays run at the same time" }
      follow(state.begin())
      begun.append(state.generation)
      inFlight.append(state.generation)
    case .endOldest: if !inFlight.isEmpty { end(inFlight.removeFirst()) }
    case .endNewest: if let last = inFlight.popLast() { end(last) }
    case .hold:
      // A hold for preparation does not cancel displays.
      if hold != .preparing { line = state.generation }
      follow(state.hold(hold))
    case .release: follow(state.release(hold))
    }
  }

  private mutating func end(_ generation: UInt64) {
    let wasLive = state.isLive(generation)
    follow(state.end(generation, end))
    // D4: a display that was not cancelled is shown, no matter how often the
    // layer was invalidated.
    if wasLive, shows, shown != generation { breach = "a live display ended without being shown" }
    // D5: a display cancelled from outside leaves the layer dirty.
    if wasLive, end == .cancelled, state.need == .clean {
      breach = "a cancelled display left the layer clean"
    }
  }

  private mutating func follow(_ actions: [DisplayState.Action]) {
    for action in actions {
      switch action {
      case .show(let generation): show(generation)
      case .clear: show(state.shown)
      case .notify(let generation, _):
        if generation <= told.last ?? 0 { breach = "didDisplay called out of order" }
        told.append(generation)
      case .schedule: isOwed = true
      case .stop: break
      }
    }
  }

  private mutating func show(_ generation: UInt64) {
    if generation <= shown { breach = "an older display was shown" }
    if generation <= line { breach = "a cancelled display was shown" }
    shown = generation
    if !shows { breach = "a display that drew nothing was shown" }
  }

  /// Ends all displays. Returns a broken promise, or nil if all promises were
  /// kept.
  mutating func settle() -> String? {
    follow(state.release(hold))
    for _ in 0..<4 {
      while !inFlight.isEmpty { make(.endOldest) }
      // A layer that can be displayed must have scheduled the commit.
      if state.canBegin, !isOwed { breach = "a layer that can be displayed is not scheduled" }
      make(.commit)
    }
    if told != begun {
      breach = breach ?? "willDisplay was called for \(begun), didDisplay for \(told)"
    }
    if state.isRunning || state.unreportedCount > 0 { breach = breach ?? "a display never ended" }
    if state.need == .scheduled { breach = breach ?? "a scheduled layer was never displayed" }
    return breach
  }
}

extension DisplayState.End {
  fileprivate static let all: [Self] = [.drawn, .cleared, .failed, .cancelled]
}

extension DisplayState.Holds {
  fileprivate static let each: [Self] = [.suspended, .detached, .preparing, .gone, .flattened]
}
