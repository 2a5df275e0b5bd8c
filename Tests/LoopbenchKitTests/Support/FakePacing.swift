import LoopbenchKit
import Synchronization

/// A clock for open-loop schedules. It advances when a caller waits or advances it
/// explicitly.
final class FakePacing: Sendable {
  private let time: Atomic<UInt64>

  init(_ now: UInt64 = 0) {
    time = Atomic(now)
  }

  var now: UInt64 { time.load(ordering: .relaxed) }

  func advance(by nanoseconds: UInt64) { time.wrappingAdd(nanoseconds, ordering: .relaxed) }

  var clock: PacingClock {
    var clock = PacingClock()
    clock.now = { self.now }
    clock.sleep = { self.move(to: $0) }
    clock.spin = { self.move(to: $0) }
    return clock
  }

  private func move(to deadline: UInt64) { time.max(deadline, ordering: .relaxed) }
}
