extension Scenario {
  /// Getting onto an actor, and back.
  public static let hop = Scenario(
    name: "hop",
    summary: "call an actor from a task, and come back; a sample is the mean of 200 calls",
    series: [
      Series(
        name: "call",
        summary: "200, each when the one before has returned: ns per call",
        effort: Effort(warmUps: 2, samples: 20, operations: 200),
        placement: .anywhere
      )
    ],
    references: ["lt", "actor"],
    details: ScenarioDetails.hop,
    isStandard: false
  )
}
