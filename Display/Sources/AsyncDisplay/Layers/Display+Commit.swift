import LoopTransactions

// The display commit.
extension Display {
  /// Schedules `core`'s layer for the next display commit.
  func schedule(_ core: DisplayCore) {
    if core.place == nil, !core.isLate, let layer = core.layer {
      LoopTrace.beginArrow(to: core)
      if meter != nil { core.requested = LoopClock.now }
      if isCommitting {
        core.isLate = true
        late.append(core)
      } else {
        waiting.append(core, layer)
      }
    }
    commitSoon()
  }

  /// Removes `core`'s layer from the next display commit, because its display
  /// can no longer begin.
  func unschedule(_ core: DisplayCore) {
    LoopTrace.endArrow(to: core)
    waiting.remove(core)
  }

  /// Moves `core`'s layer to its new place in the queue after its priority,
  /// size or mode changed. Does nothing if the layer is not queued.
  func urgencyDidChange(of core: DisplayCore) {
    guard core.place != nil, let layer = core.layer else { return }
    waiting.remove(core)
    waiting.append(core, layer)
  }

  /// The number of layers whose display waits to begin.
  var waitingCount: Int { waiting.count + late.count }

  /// Requests a display commit in this tick. If this tick's commit has already
  /// begun, the request is for the next tick, because a layer may invalidate
  /// itself while it is displayed.
  func commitSoon() {
    guard waitingCount > 0 || !undecoded.isEmpty else { return }
    observer?.hasPendingWork = true
  }

  /// Begins a display of every layer that needs a display and fits in memory,
  /// regardless of the budget. If no layer waits, begins to decode waiting
  /// images.
  ///
  /// Call on the loop, to commit before the end of the tick.
  public func commit() {
    check("Display.commit")
    guard let observer, observer.hasPendingWork, !isCommitting else { return }
    observer.hasPendingWork = false
    commit(spendingBudgetOf: nil)
  }

  /// Begins displays while the budget of `loop` allows. After the budget is
  /// spent, begins only displays that cannot wait. The other displays begin in
  /// the next tick. If `loop` is nil, there is no limit.
  ///
  /// - Complexity: O(k) in the displays that begin; O(1) if the first layer
  ///   does not fit in memory. After the budget is spent, O(n) in all waiting
  ///   layers if any of them belongs to a container.
  func commit(spendingBudgetOf loop: EventLoop?) {
    guard !isCommitting else { return commitSoon() }
    isCommitting = true
    var budget = CommitBudget(spendingBudgetOf: loop)
    while let (core, kind) = waiting.first(upTo: budget.limit) {
      begin(core, kind, &budget)
    }
    if budget.isSpent, budget.hasCollectors {
      for core in waiting.asynchronous where core.place != nil {
        guard let layer = core.layer, budget.collects(layer) else { continue }
        begin(core, LayerBacklog.Kind(layer), &budget)
      }
    }
    // Images are decoded only if no layer waits. A waiting layer has its images
    // already and is closer to being shown.
    if waiting.isEmpty() { decodeWaiting() }
    if budget.isSpent, !waiting.isEmpty(upTo: budget.isFull ? .light : .heavy) { commitSoon() }
    isCommitting = false
    scheduleLate()
  }

  // The first layer that does not fit in memory blocks all later layers that
  // need memory, because later layers could otherwise starve it.
  private func begin(_ core: DisplayCore, _ kind: LayerBacklog.Kind, _ budget: inout CommitBudget) {
    examinedCount += 1
    guard let layer = core.layer else { return waiting.remove(core) }
    if kind == .heavy, budget.isFull || !hasRoom(for: layer.inFlightBytes) {
      return budget.isFull = true
    }
    waiting.remove(core)
    LoopTrace.endArrow(to: core)
    budget.willBegin(layer)
    core.begin(layer, asynchronously: layer.displaysAsynchronously)
    budget.didBegin()
  }

  // Queues the layers that were scheduled during this commit.
  private func scheduleLate() {
    let cores = late
    late = []
    for core in cores {
      core.isLate = false
      if let layer = core.layer, core.place == nil, core.state.canBegin {
        waiting.append(core, layer)
      } else {
        LoopTrace.endArrow(to: core)
      }
    }
  }
}

/// The remaining budget and memory of the current display commit. L9.
private struct CommitBudget {
  // Nil means no limit.
  private let loop: EventLoop?
  private var collectors: Set<ObjectIdentifier> = []
  /// Whether the budget is spent. False until the commit has begun one display.
  private(set) var isSpent = false
  /// Whether the commit found a layer that does not fit in memory.
  var isFull = false

  /// The most demanding kind of layer that may still begin.
  var limit: LayerBacklog.Kind { isSpent ? .onLoop : isFull ? .light : .heavy }

  /// Whether waiting layers may belong to a container that has begun a display.
  var hasCollectors: Bool { !collectors.isEmpty }

  init(spendingBudgetOf loop: EventLoop?) { self.loop = loop }

  /// Returns whether `layer` must appear together with a layer that has begun.
  func collects(_ layer: Layer) -> Bool {
    guard let container = layer.container else { return false }
    return collectors.contains(ObjectIdentifier(container.collector))
  }

  mutating func willBegin(_ layer: Layer) {
    guard layer.displaysAsynchronously, let container = layer.container else { return }
    collectors.insert(ObjectIdentifier(container.collector))
  }

  mutating func didBegin() {
    // Counts every display, including the displays beyond the budget.
    if let loop, !loop.budgetAllowsMore() { isSpent = true }
  }
}
