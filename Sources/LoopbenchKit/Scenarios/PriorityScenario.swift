extension Scenario {
  /// Getting past work that matters less, and not being forgotten behind work that
  /// matters more.
  public static let priority = Scenario(
    name: "priority",
    summary: "add an operation to 4 busy workers: from the add until it starts",
    series: [
      Series(
        name: "latency",
        summary: "an urgent one behind 10000 lower ones of 20 us each",
        effort: Effort(warmUps: 10, samples: 100, operations: 1),
        placement: .anywhere,
        kind: .service
      ),
      Series(
        name: "starvation",
        summary: "a low one under endless urgent ones of 20 us; given up after 20 ms",
        effort: Effort(warmUps: 1, samples: 10, operations: 1),
        placement: .anywhere,
        kind: .service
      ),
    ],
    references: ["dispatch", "opqueue"],
    details: ScenarioDetails.priority,
    isStandard: false
  )
}

/// The loads that every peer of `priority` meets.
package enum PriorityLoad {
  /// The series every peer of the scenario has.
  package static let series = ["latency", "starvation"]

  /// What one operation of the load takes, in ns.
  package static let work: UInt64 = 20_000
  /// Lower ones that there are at any time, in `latency`.
  package static let crowd = 10_000
  /// Urgent ones that there are at any time, in `starvation`.
  package static let endless = 64
  /// The least time between two that are timed, in ns; the most is twice that.
  package static let pause: UInt64 = 200_000
  /// How long the load of `starvation` runs before the low one comes, in ns.
  package static let headStart: UInt64 = 1_000_000
  /// How long a low one is waited for, in ns.
  package static let patience: UInt64 = 20_000_000

  /// Beside `latency`: lower ones that started while an urgent one waited.
  package static let inversions = "lower ones started first"
  /// Beside `starvation`.
  package static let starved = "not started within 20 ms"
}
