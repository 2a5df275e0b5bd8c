import LoopTransactions

/// Times the displays of a `Display`, for its frame reports. Belongs to the
/// loop.
final class DrawingMeter {
  private var running: [ObjectIdentifier: DisplayTimes] = [:]
  // The slowest display that has ended since the last report.
  private var slowest: DisplayFrameReport.SlowDisplay?

  /// Returns the times of a display that begins.
  func begin(_ name: String, requestedAt instant: LoopClock.Instant?) -> DisplayTimes {
    let times = DisplayTimes(name, requested: instant ?? LoopClock.now)
    running[ObjectIdentifier(times)] = times
    return times
  }

  /// Drops a display that is cancelled, because nothing waits for it any more.
  func drop(_ times: DisplayTimes) { running[ObjectIdentifier(times)] = nil }

  /// Ends a display. Only those that were drawn are compared.
  func end(_ times: DisplayTimes, _ outcome: DisplayOutcome) {
    guard running.removeValue(forKey: ObjectIdentifier(times)) != nil else { return }
    guard case .displayed = outcome else { return }
    let ended = times.slowDisplay(at: LoopClock.now, isFinished: true)
    if slowest.map({ ended.total > $0.total }) ?? true { slowest = ended }
  }

  /// Returns the slowest display that has ended since the last call, or is under
  /// way.
  ///
  /// - Complexity: O(n) in the displays under way.
  func takeSlowest() -> DisplayFrameReport.SlowDisplay? {
    let now = LoopClock.now
    var all = running.values.map { $0.slowDisplay(at: now, isFinished: false) }
    if let slowest { all.append(slowest) }
    slowest = nil
    return all.max { $0.total < $1.total }
  }
}

/// The times of one display.
final class DisplayTimes: Sendable {
  private struct Drawing {
    var began: LoopClock.Instant?
    var ended: LoopClock.Instant?
    var isOnLoop = false
  }

  let name: String
  private let requested: LoopClock.Instant
  private let drawing = Locked(Drawing())

  init(_ name: String, requested: LoopClock.Instant) {
    (self.name, self.requested) = (name, requested)
  }

  /// Calls `draw`. Call on the thread that draws.
  func drawing<Value>(onLoop isOnLoop: Bool, _ draw: () -> Value) -> Value {
    drawing.withLock { ($0.began, $0.isOnLoop) = (LoopClock.now, isOnLoop) }
    defer { drawing.withLock { $0.ended = LoopClock.now } }
    return draw()
  }

  func slowDisplay(
    at now: LoopClock.Instant,
    isFinished: Bool
  ) -> DisplayFrameReport.SlowDisplay {
    let drawing = drawing.withLock { $0 }
    let began = drawing.began ?? now
    return DisplayFrameReport.SlowDisplay(
      name: name,
      waited: max(.zero, requested.duration(to: began)),
      drew: max(.zero, began.duration(to: drawing.ended ?? now)),
      isOnLoop: drawing.isOnLoop,
      isFinished: isFinished
    )
  }
}
