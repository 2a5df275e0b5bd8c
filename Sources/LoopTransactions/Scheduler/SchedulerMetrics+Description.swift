extension SchedulerMetrics: CustomStringConvertible {
  /// Every counter with its name. The waits say "not measured" unless operations waited
  /// while `OperationScheduler.measuresWaits` was true.
  public var description: String {
    let counts = [
      "queued: \(queued)", "running: \(running)", "workers: \(workers)", "awake: \(awake)",
      "added: \(added)", "cancelled: \(cancelled)",
    ]
    let times = waits.map(\.text).joined(separator: "; ")
    return (counts + ["waits: " + (waits.isEmpty ? "not measured" : times)])
      .joined(separator: ", ")
  }
}

extension SchedulerMetrics.Wait {
  fileprivate var text: String {
    let (total, longest) = (Self.duration(total), Self.duration(longest))
    return "\(count) at priority \(priority.rawValue) took \(total), at most \(longest)"
  }

  private static func duration(_ nanoseconds: UInt64) -> Duration {
    .nanoseconds(Int64(clamping: nanoseconds))
  }
}
