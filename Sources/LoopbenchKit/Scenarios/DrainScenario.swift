extension Scenario {
  /// Handing objects to a handler in batches.
  public static let drain = Scenario(
    name: "drain",
    summary: "1000 objects queued on the loop's thread; a sample is ns per object, first to last",
    series: [
      Series(
        name: "batched",
        summary: "handed over 16 a tick",
        effort: Effort(warmUps: 10, samples: 50, operations: 1000)
      ),
      Series(
        name: "whole",
        summary: "handed over in one tick",
        effort: Effort(warmUps: 10, samples: 50, operations: 1000)
      ),
    ],
    details: ScenarioDetails.drain
  )
}

/// What every `drain` peer drains.
package enum DrainLoad {
  /// The series every peer of the scenario has.
  package static let series = ["batched", "whole"]

  /// How many objects a tick may hand over in `slice`.
  package static func batch(for slice: Slice) -> Int {
    slice.series == "whole" ? slice.effort.operations : 16
  }
}
