extension Scenario {
  /// Handing operations to workers.
  public static let pool = Scenario(
    name: "pool",
    summary: "hand operations to 4 workers; a sample is a burst's mean",
    series: [
      Series(
        name: "empty",
        summary: "100000 that do nothing, from one thread: ns per operation, first add to last end",
        effort: Effort(warmUps: 1, samples: 1, operations: 100_000),
        placement: .anywhere
      ),
      Series(
        name: "cancel",
        summary: "100000 that wait, cancelled in the order they were added: ns per operation",
        effort: Effort(warmUps: 0, samples: 1, operations: 100_000),
        placement: .anywhere
      ),
      Series(
        name: "transactions",
        summary: "1000, each of an empty operation and its completion on a loop: ns for each",
        effort: Effort(warmUps: 2, samples: 10, operations: 1000),
        placement: .anywhere
      ),
    ],
    references: ["uvwork", "dispatch", "opqueue", "ring"],
    details: ScenarioDetails.pool,
    isStandard: false
  )
}

/// What every peer of `pool` and `priority` has.
package enum PoolLoad {
  /// How many operations may run at once.
  package static let workers = 4
}
