/// The targets of a loop whose actions are performed with observation tracking.
///
/// Dead targets are swept once enough targets were added since the last sweep
/// to make up for its cost.
final class ObservedTargets: LoopPart {
  private struct Key: Hashable {
    let target: ObjectIdentifier
    let number: UInt32
  }

  private var all: [Key: ObservedTarget] = [:]
  // 16, because sweeping so few targets costs next to nothing. Not measured.
  private var limit = 16

  /// Returns the entry of `target` and `selector`. Creates the entry if it does
  /// not exist.
  func findOrCreate<Target>(
    _ target: Target,
    _ selector: Selector<Target>,
    _ core: PortCore
  ) -> ObservedTarget {
    let key = Key(target: ObjectIdentifier(target), number: selector.number)
    if let found = all[key] {
      if found.isOf(target) { return found }
      // The target died, and another object has its address.
      found.discardReads()
    }
    let made = ObservedTarget(target, selector, core: core)
    all[key] = made
    if all.count > limit { sweep() }
    return made
  }

  /// Ends the observation of `target` by the selector called `number`, if there
  /// is one.
  func end(_ target: AnyObject, _ number: UInt32) {
    all.removeValue(forKey: Key(target: ObjectIdentifier(target), number: number))?.end()
  }

  /// The number of targets, including dead targets.
  var count: Int { all.count }

  func drop() {
    for observed in all.values { observed.end() }
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
  /// Ends the observation of all properties that actions on `target` read, and
  /// cancels the pending pairs of `target` whose selectors observe.
  ///
  /// Call on the loop, for example when a view is removed from its window. Does
  /// the same as `cancel(_:_:)` for each selector made with
  /// `Selector.withObservation`. An action that is performed again is observed
  /// again. Pairs of other selectors stay pending.
  ///
  /// - Complexity: O(n) in the observing selectors of the program.
  public func stopObserving(_ target: AnyObject) {
    checkThread("EventLoop.stopObserving")
    for selector in SelectorTable.observing { cancel(target, selector) }
  }

  /// The number of target and selector pairs with observation tracking,
  /// including dead targets. For tests. Call on the loop.
  package var observedCount: Int { part(ObservedTargets.self).count }
}
