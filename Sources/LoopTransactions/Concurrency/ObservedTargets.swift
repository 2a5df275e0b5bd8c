private import Observation
private import Synchronization

/// The targets of a loop whose actions are performed with observation tracking.
///
/// Dead targets are removed by a sweep, when the number of targets has doubled
/// since the last sweep.
final class ObservedTargets: LoopPart {
  private var all: [TransactionPair: ObservedTarget] = [:]
  // 16, because sweeping so few targets costs next to nothing. Not measured.
  private var limit = 16

  /// Returns the entry of `target` and `selector`. Creates the entry if it does
  /// not exist.
  func findOrCreate<Target>(
    _ target: Target,
    _ selector: Selector<Target>,
    _ core: PortCore
  ) -> ObservedTarget {
    let pair = TransactionPair(target, selector)
    if let found = all[pair] {
      if found.isOf(target) { return found }
      // The target died, and another object has its address.
      found.discardReads()
    }
    let made = ObservedTarget(target, pair, core: core)
    all[pair] = made
    if all.count > limit { sweep() }
    return made
  }

  /// Ends the observation of `pair`, if there is one.
  func end(_ pair: TransactionPair) { all.removeValue(forKey: pair)?.end() }

  /// The number of targets, including dead targets.
  var count: Int { all.count }

  func drop() {
    for observed in all.values { observed.end() }
    all = [:]
  }

  private func sweep() {
    for (pair, observed) in all where !observed.isLive {
      observed.discardReads()
      all[pair] = nil
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

/// A target and selector whose action is performed with observation tracking.
///
/// The observed objects retain this object. It does not retain the target.
final class ObservedTarget: @unchecked Sendable {
  // @unchecked: the variables are used on the loop's thread only. The other
  // properties are constant or thread-safe.

  private let core: PortCore
  private let pair: TransactionPair
  private var marker = ReadMarker()
  // Changes of earlier generations are ignored, because their trackings have
  // ended. Relaxed: if another thread makes a change during the increment, the
  // next tracking sees it, or the change comes after the next tracking.
  private let generation = Atomic<Int>(0)
  private var isPerforming = false
  // Nil after `end()`, too.
  private weak var target: AnyObject?
  /// The clock for whose frames changes commit the pair. Weak, because the
  /// observed objects may release this object on any thread, and a clock must be
  /// released on the loop's. Loop only.
  weak var clock: FrameClock?

  /// Creates an observed target for `pair`, whose target is `target`, on the loop
  /// of `core`.
  init(_ target: AnyObject, _ pair: TransactionPair, core: PortCore) {
    self.core = core
    self.pair = pair
    self.target = target
  }

  /// Whether the target is `object`, rather than a dead object at the same
  /// address.
  func isOf(_ object: AnyObject) -> Bool { target === object }

  /// Whether the target is alive.
  var isLive: Bool { target != nil }

  /// Runs `body`, and commits the pair again when a property that `body` read
  /// changes. Loop only.
  func track(_ body: () throws -> Void) throws {
    // Inside the same pair's action, `body` reads for that action's tracking.
    guard !isPerforming else { return try body() }
    isPerforming = true
    defer { isPerforming = false }
    discardReads()
    let (marker, current) = (marker, generation.load(ordering: .relaxed))
    let result = marker.read(by: self) {
      withObservationTracking {
        marker.registerRead()
        return Result(catching: body)
      } onChange: { [self] in
        // If the generations differ, the marker changed because the tracking was
        // discarded.
        if generation.load(ordering: .relaxed) == current { changed() }
      }
    }
    try result.get()
  }

  /// Ends the previous tracking. Otherwise each tracking would stay registered
  /// with the observed objects until they change, even if the action is
  /// performed again.
  func discardReads() {
    generation.add(1, ordering: .relaxed)
    // An enclosing tracking that is still in use may have read the marker.
    if isKnownUniquelyReferenced(&marker) { marker.invalidate() } else { marker = ReadMarker() }
  }

  /// Ends the tracking for good, also of an action that is being performed. A
  /// change that another thread has already reported commits nothing.
  func end() {
    target = nil
    discardReads()
  }

  /// Commits the pair, because an observed property is about to change. Call
  /// from any thread.
  private func changed() {
    guard !core.isOnThread else {
      _ = core.commitOnThread { commit(on: $0) }
      return
    }
    core.call(observedTargetChanged, with: self)
  }

  fileprivate func commit(on loop: EventLoop) {
    guard let target, loop.takesCommits else { return }
    withExtendedLifetime(target) {
      if let clock { return loop.commit(target, pair, atNextFrameOf: clock) }
      loop.commit(pair)
    }
  }
}

private func observedTargetChanged(_ loop: UnsafeRawPointer, _ observed: UnsafeRawPointer) {
  let loop = loop.object(as: EventLoop.self)
  observed.object(as: ObservedTarget.self).commit(on: loop)
}

/// An observable that a tracking also reads, so that changing it ends the
/// tracking. Observation has no other way to end a tracking.
///
/// Trackings nest. The reads of an inner tracking, also the read of its marker,
/// count as reads of the outer tracking. Changing the inner marker would
/// therefore also end the outer tracking. So the outer marker retains the inner
/// markers, and an inner marker that was replaced changes only when it is
/// released: after all trackings that read it have ended.
///
/// The end of a foreign tracking, one that the program made, is not known. A
/// tracking inside a foreign one therefore does not read its marker, and stays
/// registered until a property changes, as the foreign one does.
private final class ReadMarker: Observable, Unreflected {
  /// The marker of the innermost action's tracking on each thread.
  private static let running = ThreadSlot()

  private let registrar = ObservationRegistrar()
  // The last marker of each observed target that was performed inside. An
  // earlier one may change while this marker's tracking is running, because
  // Observation registers a tracking when it ends.
  private var inner: [ObjectIdentifier: ReadMarker] = [:]
  private var probe = ReadProbe()
  // False once a foreign tracking was found around this marker's tracking, or
  // inside it.
  private var isUsable = true

  deinit { invalidate() }

  private var isValid: Bool { true }

  func registerRead() {
    guard isUsable else { return }
    registrar.access(self, keyPath: \.isValid)
    probe.markTracking()
  }

  /// Ends the tracking that read this marker, and then those inside it that have
  /// been replaced.
  func invalidate() {
    registrar.withMutation(of: self, keyPath: \.isValid) {}
    inner = [:]
  }

  /// Returns the result of `body`, the tracking of `observed` that reads this
  /// marker.
  func read<Result>(by observed: ObservedTarget, _ body: () -> Result) -> Result {
    let address = Self.running.address
    let outer = address.map { $0.object(as: ReadMarker.self) }
    isUsable = true
    isUsable = (outer ?? self).findNoForeignTracking()
    if isUsable { outer?.inner[ObjectIdentifier(observed)] = self }
    Self.running.address = UnsafeMutableRawPointer(addressOf: self)
    defer { Self.running.address = address }
    return body()
  }

  /// Whether no foreign tracking is running around or inside this marker's
  /// tracking, nor was running inside it.
  private func findNoForeignTracking() -> Bool {
    guard isUsable, probe.isReadByOther() else { return isUsable }
    // The foreign tracking now has the mark, so it looks like this marker's.
    probe = ReadProbe()
    isUsable = false
    return false
  }
}

/// Tells whether the thread's innermost tracking, if any, is the tracking that
/// was marked.
///
/// Observation keeps the key paths that a tracking reads in a set. If the
/// tracking already has an equal key path, or there is no tracking, it does not
/// retain the object of another one. The property never changes. A key path does
/// not retain the probe: the registrar keeps the trackings that read it until it
/// is released, and they keep their key paths.
private final class ReadProbe: Observable, Unreflected {
  private let registrar = ObservationRegistrar()

  private subscript(probe: ObjectIdentifier) -> Bool { true }

  /// Marks the innermost tracking.
  func markTracking() { registrar.access(self, keyPath: newKeyPath()) }

  /// Whether the innermost tracking has not been marked, which marks it.
  func isReadByOther() -> Bool {
    var keyPath = newKeyPath()
    registrar.access(self, keyPath: keyPath)
    return !isKnownUniquelyReferenced(&keyPath)
  }

  private func newKeyPath() -> KeyPath<ReadProbe, Bool> { \.[ObjectIdentifier(self)] }
}
