private import Observation
private import Synchronization

/// A target and selector whose action is performed with observation tracking.
///
/// The observed objects retain this object. It does not retain the target.
final class ObservedTarget: @unchecked Sendable {
  // @unchecked: `target` is set once and read on the loop's thread only, where
  // `clock` is also set. The other properties are constant or thread-safe.

  private let core: PortCore
  private let address: UInt
  private let number: UInt32
  private let marker = ReadMarker()
  private weak var target: AnyObject?
  /// The clock for whose frames changes commit the pair. Weak, because the
  /// observed objects may release this object on any thread, and a clock must be
  /// released on the loop's. Loop only.
  weak var clock: FrameClock?

  /// Creates an observed target for `target` and `selector`, on the loop of
  /// `core`.
  init<Target>(_ target: Target, _ selector: Selector<Target>, core: PortCore) {
    self.core = core
    address = selector.address
    number = selector.number
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
    discardReads()
    let generation = marker.generation
    let result = withObservationTracking {
      marker.registerRead()
      return Result(catching: body)
    } onChange: { [self] in
      // If the generations differ, the marker changed because the tracking was
      // discarded.
      if marker.generation == generation { changed() }
    }
    try result.get()
  }

  /// Ends the previous tracking. Otherwise each tracking would stay registered
  /// with the observed objects until they change, even if the action is
  /// performed again.
  func discardReads() { marker.invalidate() }

  /// Commits the pair, because an observed property is about to change. Call
  /// from any thread.
  private func changed() {
    guard !core.isOnThread else {
      _ = core.commitOnThread { commit(on: $0) }
      return
    }
    var item = PostedItem(observedTargetChanged, self)
    if !core.append(item) { item.drop() }
  }

  fileprivate func commit(on loop: EventLoop) {
    guard let target, loop.takesCommits else { return }
    withExtendedLifetime(target) {
      if let clock { return loop.commitAtFrame(target, address, number, clock) }
      loop.commit(UInt(bitPattern: Unmanaged.passUnretained(target).toOpaque()), address, number)
    }
  }
}

private func observedTargetChanged(_ loop: UnsafeRawPointer, _ observed: UnsafeRawPointer) {
  let loop = Unmanaged<EventLoop>.fromOpaque(loop).takeUnretainedValue()
  Unmanaged<ObservedTarget>.fromOpaque(observed).takeUnretainedValue().commit(on: loop)
}

/// An observable that every tracking also reads, so that changing it ends the
/// tracking. Observation has no other way to end a tracking.
private final class ReadMarker: Observable, Sendable, Unreflected {
  private let registrar = ObservationRegistrar()
  // Relaxed: if another thread makes a change during the increment, the next
  // tracking sees it, or the change comes after the next tracking.
  private let count = Atomic<Int>(0)

  var generation: Int { count.load(ordering: .relaxed) }

  func registerRead() { registrar.access(self, keyPath: \.generation) }

  func invalidate() {
    count.add(1, ordering: .relaxed)
    registrar.withMutation(of: self, keyPath: \.generation) {}
  }
}
