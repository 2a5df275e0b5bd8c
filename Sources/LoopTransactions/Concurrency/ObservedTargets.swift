/// The targets of a loop whose actions noted what they read.
///
/// Dead ones leave when so many were added that a look at all is paid for.
final class ObservedTargets: LoopPart {
  private struct Key: Hashable {
    let target: ObjectIdentifier
    let number: UInt32
  }

  private var all: [Key: ObservedTarget] = [:]
  // 16: a look at so few costs nothing. Guess.
  private var limit = 16

  /// The one of `target` and `selector`, which is made if there is none.
  func findOrCreate<Target>(
    _ target: Target,
    _ selector: Selector<Target>,
    _ core: PortCore
  ) -> ObservedTarget {
    let key = Key(target: ObjectIdentifier(target), number: selector.number)
    if let found = all[key] {
      if found.isOf(target) { return found }
      // The target died, and another object took its address.
      found.discardReads()
    }
    let made = ObservedTarget(target, selector, core: core)
    all[key] = made
    if all.count > limit { sweep() }
    return made
  }

  /// How many there are, dead ones among them.
  var count: Int { all.count }

  func drop() {
    for observed in all.values { observed.discardReads() }
    all = [:]
  }

  private func sweep() {
    for (key, observed) in all where !observed.isLive {
      observed.discardReads()
      all[key] = nil
    }
    limit = max(16, 2 * all.count)
  }
}

extension EventLoop {
  /// How many pairs of a target and a selector noted what they read, dead targets
  /// among them. For tests. Call on the loop.
  package var observedCount: Int { part(ObservedTargets.self).count }
}
