extension Report {
  /// Makes the report of a run.
  public init(
    _ measurements: Measurements,
    argv: [String],
    machine: Machine,
    placement: Placement,
    labels: [String: String] = [:],
    warnings: [Warning] = [],
    tool: Tool = .loopbench
  ) {
    let results = Self.results(of: measurements)
    schema = Self.currentSchema
    self.tool = tool
    self.argv = argv
    seed = measurements.seed
    self.labels = labels
    self.machine = machine
    settings = Settings(of: measurements, placement: placement)
    rounds = measurements.rounds
    self.results = results
    comparisons = Self.comparisons(of: results, scenarios: measurements.scenarios)
    self.warnings = warnings + Self.warnings(about: measurements, results, machine)
  }

  private static func results(of measurements: Measurements) -> [Result] {
    measurements.scenarios.flatMap { scenario in
      scenario.series.flatMap { series in
        measurements.peers(of: scenario).compactMap { peer in
          measurements.tally(scenario: scenario.name, series: series.name, peer: peer.name).map {
            Result($0, scenario: scenario, series: series, peer: peer)
          }
        }
      }
    }
  }

  private static func comparisons(of results: [Result], scenarios: [Scenario]) -> [Comparison] {
    results.flatMap { result in
      let scenario = scenarios.first { $0.name == result.scenario }
      let references = (scenario?.references ?? []).filter { $0 != result.peer }
      return references.flatMap { name in
        let reference = results.first {
          ($0.scenario, $0.series, $0.peer) == (result.scenario, result.series, name)
        }
        return compared.compactMap { percentile in
          reference.flatMap { Comparison(result, with: $0, at: percentile) }
        }
      }
    }
  }

  private static func warnings(
    about measurements: Measurements,
    _ results: [Result],
    _ machine: Machine
  ) -> [Warning] {
    var warnings: [Warning] = machine.build == "debug" ? [.debugBuild] : []
    if measurements.rounds.count < RoundCount.least {
      warnings.append(.fewRounds(measurements.rounds.count))
    }
    return warnings
      + results.compactMap { result in
        let tally = measurements.tally(
          scenario: result.scenario,
          series: result.series,
          peer: result.peer
        )
        guard let early = tally?.earlyFires, early > 0 else { return nil }
        return .earlyFires(early, of: result)
      }
  }
}

extension Report.Settings {
  init(of measurements: Measurements, placement: Placement) {
    rounds = measurements.rounds.count
    order = "shuffle"
    warmUp = "one round, and the first batches of every slice"
    self.placement = placement
    pace = measurements.pace
    overhead = measurements.overhead
    scenarios = measurements.scenarios.map(\.name)
    var seen: Set<String> = []
    peers = measurements.contenders.map(\.peer.name).filter { seen.insert($0).inserted }
  }
}

extension Measurements {
  /// The scenarios that were measured, in the order of the registry.
  package var scenarios: [Scenario] {
    var seen: Set<String> = []
    return contenders.map(\.scenario).filter { seen.insert($0.name).inserted }
  }

  /// The peers that were measured in `scenario`, in the order of the registry.
  package func peers(of scenario: Scenario) -> [any Peer] {
    var seen: Set<String> = []
    return contenders.filter { $0.scenario.name == scenario.name }.map(\.peer).filter {
      seen.insert($0.name).inserted
    }
  }
}
