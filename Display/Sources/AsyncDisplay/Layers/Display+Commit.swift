import LoopTransactions

// The display commit.
extension Display {
  // Transactions, so that the loop does not block, or return, before the observer came
  // by; they find nothing to do where it did.
  private static let commitNow = Selector<Display>("AsyncDisplay.commit") {
    $0.commit(within: $0.loop.budget)
  }
  private static let commitNext = Selector<Display>("AsyncDisplay.commitNext") {
    $0.loop.commit($0, commitNow)
  }

  /// Displays `core`'s layer in the next display commit.
  func schedule(_ core: DisplayCore) {
    if core.place == nil, !core.isLate, let layer = core.layer {
      if isCommitting {
        core.isLate = true
        late.append(core)
      } else {
        waiting.append(core, layer)
      }
    }
    commitSoon()
  }

  /// Does not, for it can not begin any more.
  func unschedule(_ core: DisplayCore) { waiting.remove(core) }

  /// Takes note that of `core`'s layer there changed what says when it is begun.
  func urgencyDidChange(of core: DisplayCore) {
    guard core.place != nil, let layer = core.layer else { return }
    waiting.remove(core)
    waiting.append(core, layer)
  }

  /// How many layers are to be begun.
  var waitingCount: Int { waiting.count + late.count }

  func commitSoon() {
    // Off an open loop what is to be displayed stays so.
    guard isOpen, waitingCount > 0 || !undecoded.isEmpty else { return }
    needsCommit = true
    // Not again in this tick: a layer may invalidate itself by being displayed.
    loop.commit(self, isCommitting ? Self.commitNext : Self.commitNow)
  }

  /// Begins a display of each layer that needs one and for which there is memory,
  /// whatever the budget; if none waits, the decoding of pictures.
  ///
  /// Call on the loop, to do it before its time.
  public func commit() {
    check("Display.commit")
    commit(within: .unlimited)
  }

  /// Does so until the time of `budget` is over, then only what can not be left: what is
  /// left comes in the next tick.
  ///
  /// - Complexity: O(k) in those that it begins, O(1) if there is no memory for the first.
  ///   Past the budget O(n) in all that wait, if there are layers of a container.
  func commit(within budget: EventLoop.Budget) {
    guard needsCommit, !isCommitting else { return }
    (needsCommit, isCommitting) = (false, true)
    loop.cancel(self, Self.commitNow)
    var pass = CommitPass(until: LoopClock.now.advanced(by: budget.time))
    while let (core, kind) = waiting.first(upTo: pass.limit) {
      begin(core, kind, &pass)
    }
    if pass.isOver, pass.hasCollectors {
      for core in waiting.asynchronous where core.place != nil {
        guard let layer = core.layer, pass.collects(layer) else { continue }
        begin(core, LayerBacklog.Kind(layer), &pass)
      }
    }
    // A layer that waits has its pictures, and is closer to being shown.
    if waiting.isEmpty() { decodeWaiting() }
    if pass.isOver, !waiting.isEmpty(upTo: pass.isFull ? .light : .heavy) { commitSoon() }
    isCommitting = false
    takeLate()
  }

  // The first that does not fit holds back those behind it that need memory: it would wait
  // for ever.
  private func begin(_ core: DisplayCore, _ kind: LayerBacklog.Kind, _ pass: inout CommitPass) {
    lookedAt += 1
    guard let layer = core.layer else { return waiting.remove(core) }
    if kind == .heavy, pass.isFull || !hasRoom(for: layer) { return pass.isFull = true }
    waiting.remove(core)
    pass.willBegin(layer)
    core.begin(layer, asynchronously: layer.displaysAsynchronously)
    pass.didBegin()
  }

  // What came while the others were begun.
  private func takeLate() {
    let cores = late
    late = []
    for core in cores {
      core.isLate = false
      if let layer = core.layer, core.place == nil, core.state.canBegin {
        waiting.append(core, layer)
      }
    }
  }
}

/// What one display commit may still begin. L9.
private struct CommitPass {
  private let end: LoopClock.Instant
  private var collectors: Set<ObjectIdentifier> = []
  /// Whether its time is over. Not before one display was begun.
  private(set) var isOver = false
  /// Whether there is no memory for the first that needs some.
  var isFull = false

  /// Up to which kind it begins layers.
  var limit: LayerBacklog.Kind { isOver ? .onLoop : isFull ? .light : .heavy }

  /// Whether there may be layers that appear together with one that was begun.
  var hasCollectors: Bool { !collectors.isEmpty }

  init(until end: LoopClock.Instant) { self.end = end }

  /// Whether `layer` appears together with one that was begun.
  func collects(_ layer: Layer) -> Bool {
    guard let container = layer.container else { return false }
    return collectors.contains(ObjectIdentifier(container.collector))
  }

  mutating func willBegin(_ layer: Layer) {
    guard layer.displaysAsynchronously, let container = layer.container else { return }
    collectors.insert(ObjectIdentifier(container.collector))
  }

  mutating func didBegin() {
    if !isOver { isOver = LoopClock.now >= end }
  }
}
