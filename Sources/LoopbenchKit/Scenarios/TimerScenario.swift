extension Scenario {
  /// How late a timer is.
  public static let timer = Scenario(
    name: "timer",
    summary: "how late a timer fires: due time to callback, 2 ms absolute schedule, random phase",
    series: [
      Series(
        name: "lateness",
        summary: "from the time it was due to the callback's first instruction",
        effort: Effort(warmUps: 2, samples: 36, operations: 1)
      )
    ],
    details: ScenarioDetails.timer
  )
}

/// The schedules that every `timer` peer follows.
package enum TimerLoad {
  /// The series every peer of the scenario has.
  package static let series = ["lateness"]

  /// Between two due times, in ns.
  package static let interval: UInt64 = 2_000_000
  private static let schedules = 4

  /// Measures a slice: several schedules, each of another random phase.
  ///
  /// - Parameter run: Follows one schedule; returns how late each fire was, in
  ///   ns, those of the warm-up first.
  package static func measure(
    _ slice: inout Slice,
    now: () -> UInt64,
    run: (_ first: UInt64, _ count: Int) throws(PeerFailure) -> [Int64]
  ) throws(PeerFailure) {
    let warmUps = slice.effort.warmUps
    for _ in 0..<schedules {
      let first = now() + interval + slice.generator.number(below: interval)
      let fires = try run(first, warmUps + max(1, slice.effort.samples / schedules))
      for (index, lateness) in fires.enumerated().dropFirst(warmUps) {
        let due = first + UInt64(index) * interval
        slice.record(lateness: lateness)
        slice.note("due, not fired yet", on: .loop, from: due, to: due + UInt64(max(0, lateness)))
      }
    }
  }
}
