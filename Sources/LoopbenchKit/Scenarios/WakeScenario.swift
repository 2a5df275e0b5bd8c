extension Scenario {
  /// Waking a loop that sleeps.
  public static let wake = Scenario(
    name: "wake",
    summary: "another thread hands one thing to a sleeping loop, which answers",
    series: [
      acrossWake,
      Series(
        name: "across.roundtrip",
        summary: "the same, until the sender, who slept, runs again",
        recordedWith: acrossWake
      ),
      Series(
        name: "same",
        summary: "both on one CPU, no pause: from before the send until the sender runs again",
        effort: Effort(warmUps: 50, samples: 500, operations: 1),
        placement: .same
      ),
      Series(
        name: "same.busy",
        summary: "the same, but the sender first works for 1.5-3 ms, which uses up its time slice",
        effort: Effort(warmUps: 2, samples: 30, operations: 1),
        placement: .same
      ),
    ],
    extras: [.processorUse]
  )

  private static let acrossWake = Series(
    name: "across",
    summary: "two CPUs, 50-100 us between sends: from before the send to the callback",
    effort: Effort(warmUps: 50, samples: 800, operations: 1),
    placement: .across
  )
}

/// How the pings of `wake` are spaced.
package enum WakeLoad {
  /// The series every peer of the scenario has; `across.roundtrip` comes along.
  package static let series = ["across", "same", "same.busy"]

  /// The least time, in ns, that the sender spins before each ping of `series`;
  /// the most is twice that. 0: it sends as soon as it was answered.
  package static func pause(before series: String) -> UInt64 {
    switch series {
    case "across": 50_000
    // Past its slice a sender is preempted by the loop it wakes: there
    // libuv 1.44's `uv_async_send` makes the loop spin until the sender is back.
    case "same.busy": 1_500_000
    default: 0
    }
  }
}
