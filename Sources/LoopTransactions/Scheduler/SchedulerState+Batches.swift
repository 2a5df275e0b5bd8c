// What waits in batches, behind an operation that takes long.
extension SchedulerState {
  /// Takes back what waits behind an operation that is held up, to the front of the backlog.
  mutating func takeBack(_ now: UInt64) {
    guard !shared.isEmpty else { return }
    // Last first: each goes to the front.
    for member in shared.reversed() {
      member._withUnsafeGuaranteedRef { seat in
        guard seat.isHeldUp(at: now) else { return }
        seat.forEachWaiting { if backlog.takeBack($0) { running -= 1 } }
      }
    }
    shared.removeAll { $0._withUnsafeGuaranteedRef { $0.isHeldUp(at: now) } }
  }

  /// The worker that watches had a look, at `now`.
  package mutating func watch(_ seat: WorkerSeat, now: UInt64) -> WorkerAction {
    defer { checkInvariants() }
    takeBack(now)
    if shared.isEmpty { stopWatching(seat) }
    return moreWorkersIfNeeded()
  }

  mutating func stopWatching(_ seat: WorkerSeat) {
    guard seat.isWatching else { return }
    seat.isWatching = false
    isWatched = false
  }
}
