extension Scenario {
  /// Handing a target and an action over, to be performed once per tick.
  public static let commit = Scenario(
    name: "commit",
    summary: "hand over a target and its action, performed once a tick; a sample is a batch's mean",
    series: [
      Series(
        name: "duplicate",
        summary: "1000 pending targets, each committed again 10 times: ns per commit",
        effort: Effort(warmUps: 3, samples: 40, operations: CommitLoad.targets * 10)
      ),
      Series(
        name: "first",
        summary: "1000 targets, committed and performed in one tick: ns per commit",
        effort: Effort(warmUps: 10, samples: 100, operations: CommitLoad.targets)
      ),
    ],
    references: ["uv", "set", "dirtybit"],
    details: ScenarioDetails.commit
  )
}

/// What every `commit` peer commits.
package enum CommitLoad {
  /// Distinct targets.
  package static let targets = 1000
  /// The series every peer of the scenario has.
  package static let series = ["duplicate", "first"]
}
