/// Effects of the steps after a choice, each as a set of schedulers.
struct StepEffects {
  /// A caller added, cancelled, moved or claimed an operation, or the clock
  /// moved and the scheduler's operations take time.
  var changed: Set<Int> = []
  /// A caller read the scheduler's metrics or changed its settings.
  var inspected: Set<Int> = []
  /// A worker dequeued an operation, and the oldest one was not the most urgent
  /// one.
  var mixed: Set<Int> = []

  mutating func formUnion(_ other: StepEffects) {
    changed.formUnion(other.changed)
    inspected.formUnion(other.inspected)
    mixed.formUnion(other.mixed)
  }
}

/// Visits every order of a test, depth first, and leaves out orders that only
/// repeat others.
///
/// Two steps are independent if they lead to the same state in either order, and
/// neither makes the other possible or impossible. Steps that run code of the
/// test always depend on each other. A step that begins an operation only takes
/// it from its scheduler's queue, which other code cannot see. It is
/// independent of every step except the steps of the same queue, and steps in
/// which a caller uses that queue. The same holds for a worker that goes to sleep.
/// This is observed in each run, not assumed. Orders that differ in
/// the order of independent steps are equivalent. There are three ways to visit
/// fewer of them:
///
/// 1. A *sleep set* (Godefroid, 1996). After all orders were visited that go on
///    with a step, another step is tried. The first step then sleeps until a
///    step that depends on it was taken. An order that needs a sleeping step
///    is equivalent to one that was visited.
/// 2. A *persistent set*. If no caller used the queue in any order that begins
///    with a step, until the loop was idle, and workers do not differ (see 3),
///    then no order exists in which a step before it depends on it. So it can
///    be moved to the front of each of the other orders, and these are left
///    out.
/// 3. *Symmetry*. Workers differ only if one leaves the aging slot. If the
///    oldest operation was the most urgent one whenever a worker dequeued an
///    operation, all workers take the same operations, and one of them is tried.
///
/// 2 and 3 draw conclusions from the orders after a step, so they apply only if no
/// step slept after it. Sleep sets alone may leave a run without a step that is
/// awake. Such a run ends in any order, and is not counted.
final class OrderExploration {
  /// A choice of the current run, and of all runs with the same choices before.
  fileprivate struct Node {
    /// The possible steps. Nil for a choice of another kind.
    let moves: [StepMove]?
    let count: Int
    let stride: Int
    /// Whether steps are taken until the loop is idle. Their number is the
    /// episode.
    let commutes: Bool
    let episode: Int
    /// The steps that sleep before the choice.
    var asleep: Set<StepMove> = []

    var index: Int
    /// The steps that were tried, and those that are equivalent to them.
    var tried: Set<StepMove> = []
    /// The effects after this choice and before the next one, in this run.
    var own = StepEffects()
    /// The effects after this choice in all runs with the same `index`.
    var below = StepEffects()

    init(
      _ moves: [StepMove]?,
      count: Int,
      stride: Int = 1,
      commutes: Bool = false,
      episode: Int,
      index: Int = 0
    ) {
      self.moves = moves
      self.count = count
      self.stride = stride
      self.commutes = commutes
      self.episode = episode
      self.index = index
    }
  }

  private var nodes: [Node] = []
  private let prunes: Bool

  // The state of the current run.
  private var position = 0
  private var asleep: Set<StepMove> = []
  private var episode = 0
  /// The episode in which each possible step slept, or nil.
  private var repeatedSince: Int?
  private var hasLeftPath = false

  /// - Parameter prunes: Whether orders that only repeat others are left out.
  init(prunes: Bool) { self.prunes = prunes }

  /// Whether the current run is equivalent to another one.
  var isRepeated: Bool { repeatedSince != nil }

  /// Whether the current run did not have the choices of the runs before.
  var hasDiverged: Bool { hasLeftPath || position < nodes.count }

  /// The choices that the next run repeats.
  var script: [Int] { nodes.map(\.value) }

  /// Determines the next run. Returns false if every order was visited.
  func advance() -> Bool {
    foldEffects()
    (position, asleep, episode, repeatedSince) = (0, [], 0, nil)
    while var node = nodes.popLast() {
      guard node.advance(prunes: prunes) else { continue }
      nodes.append(node)
      return true
    }
    return false
  }

  /// Adds the effects of the current run to all of its choices.
  private func foldEffects() {
    var below = StepEffects()
    var episode = -1
    for index in nodes.indices.reversed() {
      // When the loop is idle, all workers sleep, so an order of steps before
      // makes no difference to the queue.
      if nodes[index].episode != episode { (below.changed, below.inspected) = ([], []) }
      episode = nodes[index].episode
      below.formUnion(nodes[index].own)
      nodes[index].below.formUnion(below)
    }
  }
}

// A run.
extension OrderExploration {
  /// Returns a multiple of `stride`, less than `count` times `stride`.
  func choose(_ count: Int, stride: Int) -> Int {
    guard !isRepeated, !hasLeftPath else { return 0 }
    if position == nodes.count {
      nodes.append(Node(nil, count: count, stride: stride, episode: episode))
    }
    return next { $0.moves == nil && $0.count == count && $0.stride == stride }?.value ?? 0
  }

  /// Returns the index of one of `moves`.
  func choose(among moves: [StepMove], commutes: Bool) -> Int {
    if !commutes { asleep = [] }
    guard !isRepeated, !hasLeftPath else { return 0 }
    if position == nodes.count {
      guard let first = moves.firstIndex(where: { !asleep.contains($0) }) else {
        repeatedSince = episode
        return 0
      }
      var node = Node(moves, count: moves.count, commutes: commutes, episode: episode, index: first)
      node.asleep = asleep
      nodes.append(node)
    }
    guard let node = next({ $0.moves == moves && $0.commutes == commutes }) else { return 0 }
    asleep = node.asleep
    if prunes, commutes { asleep.formUnion(node.tried) }
    wake(by: moves[node.index])
    return node.index
  }

  /// Takes the only possible step.
  func take(_ move: StepMove, commutes: Bool) {
    if !commutes { asleep = [] }
    if asleep.contains(move), !isRepeated { repeatedSince = episode }
    wake(by: move)
  }

  /// Records the effects of the last step, or those since the last episode if
  /// `isLate`.
  func note(_ effects: StepEffects, isLate: Bool) {
    var effects = effects
    let users = effects.changed.union(effects.inspected)
    asleep = asleep.filter { !users.contains($0.scheduler ?? -1) }
    guard position > 0, position <= nodes.count else { return }
    if isLate || nodes[position - 1].episode != episode || (repeatedSince ?? episode) != episode {
      (effects.changed, effects.inspected) = ([], [])
    }
    nodes[position - 1].own.formUnion(effects)
  }

  /// Begins to take steps until the loop is idle.
  func beginEpisode() {
    episode += 1
    asleep = []
  }

  private func next(_ isSame: (Node) -> Bool) -> Node? {
    guard isSame(nodes[position]) else {
      hasLeftPath = true
      return nil
    }
    nodes[position].own = StepEffects()
    position += 1
    return nodes[position - 1]
  }

  private func wake(by move: StepMove) {
    guard let scheduler = move.scheduler else { return }
    asleep = asleep.filter { $0.scheduler != scheduler }
  }
}

extension OrderExploration.Node {
  fileprivate var value: Int { index * stride }

  /// Goes on with the next possibility. Returns false if there is none.
  fileprivate mutating func advance(prunes: Bool) -> Bool {
    if prunes, let move = moves?[index], let scheduler = move.scheduler {
      let isUniform = !below.mixed.contains(scheduler) && isAlone(scheduler)
      if commutes, isUniform, isUnused(move, scheduler) { return false }
      tried.insert(move)
      if isUniform { tried.insert(move.twin) }
    }
    below = StepEffects()
    repeat { index += 1 } while index < count && isSkipped
    return index < count
  }

  /// Whether no step slept after the last choice.
  private func isAlone(_ scheduler: Int) -> Bool {
    (commutes ? asleep.union(tried) : asleep).allSatisfy { $0.scheduler == scheduler }
  }

  /// Whether no caller used the queue of `scheduler` after `move`, until the
  /// loop was idle.
  private func isUnused(_ move: StepMove, _ scheduler: Int) -> Bool {
    guard !below.inspected.contains(scheduler) else { return false }
    // Workers that are all alike may sleep before or after an operation is
    // added.
    if case .rest = move { return true }
    return !below.changed.contains(scheduler)
  }

  private var isSkipped: Bool {
    guard let move = moves?[index] else { return false }
    return asleep.contains(move) || tried.contains(move)
  }
}
