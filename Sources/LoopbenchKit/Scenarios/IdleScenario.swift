extension Scenario {
  /// What a tick costs when there is nothing to do.
  public static let idle = Scenario(
    name: "idle",
    summary: "a tick with nothing to do, kept from blocking by a foreign idle handle",
    series: [
      Series(
        name: "tick",
        summary: "a sample is the mean of 1000 ticks: ns per tick",
        effort: Effort(warmUps: 2, samples: 30, operations: 1000)
      )
    ],
    extras: [.difference],
    details: ScenarioDetails.idle
  )
}
