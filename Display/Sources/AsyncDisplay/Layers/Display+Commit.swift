import LoopTransactions

// The display commit.
extension Display {
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

  /// Has the loop call the display commit in this tick, or in the next if this one's
  /// has begun: a layer may invalidate itself by being displayed.
  func commitSoon() {
    guard waitingCount > 0 || !undecoded.isEmpty else { return }
    observer?.hasPendingWork = true
  }

  /// Begins a display of each layer that needs one and for which there is memory,
  /// whatever the budget; if none waits, the decoding of pictures.
  ///
  /// Call on the loop, to do it before its time.
  public func commit() {
    check("Display.commit")
    guard let observer, observer.hasPendingWork, !isCommitting else { return }
    observer.hasPendingWork = false
    commit(spendingBudgetOf: nil)
  }

  /// Begins displays while the budget of `loop` allows, then only those that cannot
  /// wait. The rest begins in the next tick. Without a loop there is no limit.
  ///
  /// - Complexity: O(k) in those that it begins, O(1) if there is no memory for the first.
  ///   Past the budget O(n) in all that wait, if there are layers of a container.
  func commit(spendingBudgetOf loop: EventLoop?) {
    guard !isCommitting else { return commitSoon() }
    isCommitting = true
    var pass = CommitPass(spendingBudgetOf: loop)
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
  // Nil: there is no limit.
  private let loop: EventLoop?
  private var collectors: Set<ObjectIdentifier> = []
  /// Whether the budget is spent. Not before one display was begun.
  private(set) var isOver = false
  /// Whether there is no memory for the first that needs some.
  var isFull = false

  /// Up to which kind it begins layers.
  var limit: LayerBacklog.Kind { isOver ? .onLoop : isFull ? .light : .heavy }

  /// Whether there may be layers that appear together with one that was begun.
  var hasCollectors: Bool { !collectors.isEmpty }

  init(spendingBudgetOf loop: EventLoop?) { self.loop = loop }

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
    // Each is counted, also past the budget.
    if let loop, !loop.budgetAllowsMore() { isOver = true }
  }
}
