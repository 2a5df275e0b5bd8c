private import CLoopbench
private import Synchronization

/// The load of `priority`, and the one operation at a time that is timed in it.
package final class PriorityField: Sendable {
  /// Where the timed operation is.
  private enum Probe {
    static let none = 0
    static let waits = 1
    static let started = 2
  }

  private let isOver = Atomic<Bool>(false)
  private let unended = Atomic<Int>(0)
  private let probe = Atomic<Int>(Probe.none)
  private let startedAt = Atomic<UInt64>(0)
  private let overtakers = Atomic<UInt64>(0)
  private let gate: Gate

  package init() throws(PeerFailure) { gate = try Gate() }

  /// The context of `start`. Keep the field until the pool is closed.
  package var address: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  /// How many operations of the load started while the timed one waited.
  package var inversions: UInt64 { overtakers.load(ordering: .relaxed) }

  private static func of(_ context: UnsafeMutableRawPointer?) -> PriorityField? {
    context.map { Unmanaged<PriorityField>.fromOpaque($0).takeUnretainedValue() }
  }
}

// What workers run.
extension PriorityField {
  /// The timed operation.
  package static let start: PostedFunction = { context in
    let now = cl_now()
    guard let field = of(context) else { return }
    field.startedAt.store(now, ordering: .relaxed)
    // Release: whoever sees it started reads when.
    field.probe.store(Probe.started, ordering: .releasing)
    field.leave()
  }

  /// One operation of the load takes its time; whether it adds the next.
  package func spend() -> Bool {
    if probe.load(ordering: .relaxed) == Probe.waits { overtakers.add(1, ordering: .relaxed) }
    guard !isOver.load(ordering: .relaxed) else { return false }
    cl_spin_until(cl_now() + PriorityLoad.work)
    return !isOver.load(ordering: .relaxed)
  }

  /// An operation ended, and adds no other.
  package func leave() {
    // Acquire and release: who passes the gate sees what every operation did.
    if unended.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0 { gate.pass() }
  }
}

// What the measuring thread does.
extension PriorityField {
  /// `count` operations of the load are about to be added, each of which adds the
  /// next.
  package func begin(_ count: Int) {
    isOver.store(false, ordering: .relaxed)
    unended.add(count, ordering: .relaxed)
  }

  /// Times one operation that `add` hands over: ns until it started, or `limit`.
  package func time(limit: UInt64, _ add: () -> Void) -> UInt64 {
    probe.store(Probe.none, ordering: .relaxed)
    unended.add(1, ordering: .relaxed)
    let began = cl_now()
    add()
    // It waits from now on, unless it has started already.
    _ = probe.compareExchange(
      expected: Probe.none,
      desired: Probe.waits,
      ordering: .acquiringAndReleasing
    )
    while probe.load(ordering: .acquiring) != Probe.started {
      guard cl_now() < began + limit else { return limit }
      // Asleep: a processor that looks would be one that does not work.
      cl_sleep_until(cl_now() + PriorityLoad.pause / 2)
    }
    return startedAt.load(ordering: .relaxed) - began
  }

  /// Ends the load, and waits until every operation ended.
  package func end() {
    isOver.store(true, ordering: .relaxed)
    gate.wait()
  }
}

extension PriorityField: CustomReflectable {
  /// Empty: reflection traps at an atomic.
  package var customMirror: Mirror { Mirror(self, children: [:]) }
}
