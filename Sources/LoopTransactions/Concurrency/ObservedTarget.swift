private import Observation
private import Synchronization

/// A target and a selector whose action was performed while what it read was noted.
///
/// What it read keeps this; this keeps no target.
final class ObservedTarget: @unchecked Sendable {
  // @unchecked: `target` is set once, and read on the loop's thread only; the rest
  // are constants and what is safe by itself.

  private let core: PortCore
  private let address: UInt
  private let number: UInt32
  private let marker = ReadMarker()
  private weak var target: AnyObject?

  /// One of `target` and `selector`, on the loop of `core`.
  init<Target>(_ target: Target, _ selector: Selector<Target>, core: PortCore) {
    self.core = core
    address = selector.address
    number = selector.number
    self.target = target
  }

  /// Whether this is of `object`, and not of one whose address it has.
  func isOf(_ object: AnyObject) -> Bool { target === object }

  /// Whether the target lives.
  var isLive: Bool { target != nil }

  /// Runs `body`, and commits the pair again when something that it read changes.
  ///
  /// Loop only.
  func track(_ body: () throws -> Void) throws {
    discardReads()
    let generation = marker.generation
    let result = withObservationTracking {
      marker.registerRead()
      return Result(catching: body)
    } onChange: { [self] in
      // The ticket's own: nothing changed, the reading is only forgotten.
      if marker.generation == generation { changed() }
    }
    try result.get()
  }

  /// Forgets what was read: otherwise each reading would wait in what it read, until
  /// that changes, however often the action is performed meanwhile.
  func discardReads() { marker.invalidate() }

  /// Something that was read is about to change, on any thread.
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
      loop.commit(UInt(bitPattern: Unmanaged.passUnretained(target).toOpaque()), address, number)
    }
  }
}

private func observedTargetChanged(_ loop: UnsafeRawPointer, _ observed: UnsafeRawPointer) {
  let loop = Unmanaged<EventLoop>.fromOpaque(loop).takeUnretainedValue()
  Unmanaged<ObservedTarget>.fromOpaque(observed).takeUnretainedValue().commit(on: loop)
}

/// Something that is read with everything else, so that its change ends a reading:
/// Observation has no other way to end one.
private final class ReadMarker: Observable, Sendable, Unreflected {
  private let registrar = ObservationRegistrar()
  // Relaxed: a change on another thread while this is counted up is one that the
  // reading about to begin sees, or that comes after it.
  private let count = Atomic<Int>(0)

  var generation: Int { count.load(ordering: .relaxed) }

  func registerRead() { registrar.access(self, keyPath: \.generation) }

  func invalidate() {
    count.add(1, ordering: .relaxed)
    registrar.withMutation(of: self, keyPath: \.generation) {}
  }
}
