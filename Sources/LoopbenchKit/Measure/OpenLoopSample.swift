/// The times of one open-loop operation, all on one clock, in ns.
package struct OpenLoopSample: Equatable, Sendable {
  package let due: UInt64
  /// When the producer began it.
  package let started: UInt64
  /// When the loop was done with the one before; 0 for the first.
  package let free: UInt64
  package let ended: UInt64

  package init(due: UInt64, started: UInt64, free: UInt64, ended: UInt64) {
    self.due = due
    self.started = started
    self.free = free
    self.ended = ended
  }

  /// From when it was due to its end: what somebody who came then waited.
  package var intended: UInt64 { ended - min(due, ended) }

  /// From its start to its end, but for the time spent behind the one before.
  package var service: UInt64 { ended - min(max(started, free), ended) }

  /// From when it was due to its start.
  package var lag: UInt64 { started - min(due, started) }
}

extension Slice {
  /// Records an operation in the series and its companions `.service` and `.lag`,
  /// and counts it as missed when it started more than `tolerance` late.
  package mutating func record(_ sample: OpenLoopSample, tolerance: UInt64) {
    if sample.lag > tolerance { miss() }
    record(nanoseconds: Double(sample.intended))
    record(nanoseconds: Double(sample.service), as: series + ".service")
    record(nanoseconds: Double(sample.lag), as: series + ".lag")
  }

  /// Records the operations of a schedule that were started and ended in the
  /// order they were due. Those that were not started are missed; so are those
  /// that started too late, and they are recorded as well. The warm-up's are left
  /// out.
  ///
  /// - Parameters:
  ///   - started: As `OpenLoopSchedule.follow` returns it.
  ///   - ended: When each that was started ended.
  package mutating func record(
    _ schedule: OpenLoopSchedule,
    from origin: UInt64,
    started: [UInt64],
    ended: [UInt64]
  ) {
    var (next, free) = (ended.startIndex, UInt64(0))
    for (index, offset) in schedule.dues.enumerated() {
      let isRecorded = index >= effort.warmUps
      guard started[index] != 0, next < ended.endIndex else {
        if isRecorded { miss() }
        continue
      }
      let sample = OpenLoopSample(
        due: origin + offset,
        started: started[index],
        free: free,
        ended: ended[next]
      )
      if isRecorded {
        record(sample, tolerance: schedule.tolerance)
        note("due, not sent yet", on: .producer, from: sample.due, to: sample.started)
        note("sent, not answered yet", on: .loop, from: sample.started, to: sample.ended)
      }
      free = ended[next]
      next += 1
    }
  }
}
