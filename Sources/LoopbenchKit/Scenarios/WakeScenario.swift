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
