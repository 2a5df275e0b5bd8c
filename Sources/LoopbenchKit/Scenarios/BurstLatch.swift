private import CLoopbench
private import Synchronization

/// What the operations of a burst count down, on any worker; the last stamps the
/// time.
package final class BurstLatch: Sendable {
  private let left = Atomic<Int>(0)
  private let finished = Atomic<UInt64>(0)
  private let gate: Gate

  package init() throws(PeerFailure) { gate = try Gate() }

  /// Begins a burst of `count`.
  package func reset(count: Int) {
    finished.store(0, ordering: .relaxed)
    left.store(count, ordering: .relaxed)
  }

  /// One operation: counts down the latch whose address it is told.
  package static let step: PostedFunction = { context in
    guard let context else { return }
    Unmanaged<BurstLatch>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.step() }
  }

  /// The context of `step`. Keep the latch until the pool is closed.
  package var address: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  private func step() {
    // Acquire and release: the last one's time is the latest.
    guard left.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0 else { return }
    finished.store(cl_now(), ordering: .relaxed)
    gate.pass()
  }

  /// Waits for the last; ns from `began` until then.
  package func nanoseconds(since began: UInt64) -> UInt64 {
    gate.wait()
    // Relaxed: written before the gate was passed.
    return finished.load(ordering: .relaxed) - began
  }
}

extension BurstLatch: CustomReflectable {
  /// Empty: reflection traps at an atomic.
  package var customMirror: Mirror { Mirror(self, children: [:]) }
}
