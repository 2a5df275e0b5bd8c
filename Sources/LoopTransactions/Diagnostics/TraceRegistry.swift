import Synchronization

/// The running trace of the process.
final class TraceRegistry: Sendable {
  private struct State {
    var running: TraceCore?
  }

  // The number of the last trace. A forked child goes on with it, so that it does
  // not take a ring of the parent's trace for its own. Relaxed: changed under the
  // lock.
  private static let last = Atomic<UInt32>(0)

  private static let processWide = ProcessWide { TraceRegistry() }

  private let state = Locked(State())

  /// Starts a trace. Returns nil if one is running.
  static func start(capacity: Int) -> TraceCore? {
    processWide.value.state.withLock { state in
      guard state.running == nil else { return nil }
      var number = last.wrappingAdd(1, ordering: .relaxed).newValue
      // 0 means that there is no trace.
      if number == 0 { number = last.wrappingAdd(1, ordering: .relaxed).newValue }
      let core = TraceCore(number: number, capacity: capacity)
      state.running = core
      WorkSlot.addReader()
      ForkGuard.setTrace(core.number)
      return core
    }
  }

  /// Stops `core` if it is running.
  static func stop(_ core: TraceCore) {
    // A forked child has a registry of its own, where `core` does not run.
    processWide.value.state.withLock { state in
      guard state.running === core else { return }
      state.running = nil
      ForkGuard.setTrace(0)
      WorkSlot.removeReader()
      core.stop()
    }
  }

  /// Adds a ring to the running trace. Returns nil if there is none, or no room.
  static func makeRing(
    _ kind: TraceRing.Kind,
    time: (() -> UInt64)? = nil,
    name: () -> String
  ) -> TraceRing? {
    let core = processWide.value.state.withLock { $0.running }
    return core?.makeRing(kind, time: time, name: name)
  }
}

/// The rings of one trace.
final class TraceCore: Sendable {
  /// The most rings of a trace.
  static let maxRings = 256

  let number: UInt32
  let capacity: Int
  /// When the trace began.
  let start = CycleClock.cycles
  private let rings = Locked<[TraceRing]>([])
  /// Whether a loop or a thread has no ring. Relaxed: orders no other memory.
  private let hasRefused = Atomic<Bool>(false)
  private let generation = ForkGuard.install()

  init(number: UInt32, capacity: Int) {
    self.number = number
    self.capacity = capacity
  }

  /// Whether this is not the process that started the trace, but a forked child.
  var isForked: Bool { ForkGuard.generation != generation }

  /// Adds a ring. Returns nil if there is no room.
  func makeRing(
    _ kind: TraceRing.Kind,
    time: (() -> UInt64)?,
    name: () -> String
  ) -> TraceRing? {
    // Checked first, because a thread without a ring asks again for each event.
    if hasRefused.load(ordering: .relaxed) { return nil }
    let name = name()
    return rings.withLock { rings in
      let isFull = rings.count == Self.maxRings
      let ring =
        isFull
        ? nil : TraceRing(kind, name: name, time: time, capacity: capacity, trace: number)
      if let ring { rings.append(ring) } else { hasRefused.store(true, ordering: .relaxed) }
      return ring
    }
  }

  func stop() { rings.withLock { rings in for ring in rings { ring.stop() } } }

  /// The rings, and whether a loop or a thread has none. Empty in a forked
  /// child, where a thread of the parent may hold the lock.
  var contents: (rings: [TraceRing], isIncomplete: Bool) {
    if isForked { return ([], false) }
    return (rings.withLock { $0 }, hasRefused.load(ordering: .relaxed))
  }
}

extension TraceRegistry: Unreflected {}
extension TraceCore: Unreflected {}
