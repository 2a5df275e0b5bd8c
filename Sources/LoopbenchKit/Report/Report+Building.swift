extension Report {
  /// Creates the report of a run.
  package init(
    _ measurements: Measurements,
    argv: [String],
    machine: Machine,
    placement: Placement,
    load: BackgroundLoad = .none,
    labels: [String: String] = [:],
    warnings: [Warning] = []
  ) {
    let results = Self.results(of: measurements)
    schema = Self.currentSchema
    tool = .loopbench
    self.argv = argv
    seed = measurements.runner.seed
    self.labels = labels
    self.machine = machine
    settings = Settings(of: measurements, placement, load)
    descriptions = measurements.scenarios.map { scenario in
      let own = measurements.entries(of: scenario).filter { !$0.isTwin }
      return Description(of: scenario, peers: own.map(\.peer))
    }
    rounds = measurements.rounds
    self.results = results
    let noise = Self.noise(of: results)
    self.noise = noise
    comparisons = Self.comparisons(
      of: results,
      scenarios: measurements.scenarios,
      noise: noise
    )
    self.warnings =
      warnings
      + Self.warnings(
        about: measurements,
        results,
        machine,
        isLoaded: warnings.contains { $0.id == "load" }
      )
  }

  private static func results(of measurements: Measurements) -> [Result] {
    measurements.scenarios.flatMap { scenario in
      scenario.series.flatMap { series in
        measurements.entries(of: scenario).compactMap { contender in
          measurements.tally(contender, series).map {
            Result($0, contender, series, figures(of: contender, series, in: measurements))
          }
        }
      }
    }
  }

  /// The figures of a peer. A series and the series recorded along with it share the
  /// same figures.
  private static func figures(
    of contender: Contender,
    _ series: Series,
    in measurements: Measurements
  ) -> [String: Double] {
    let scenario = contender.scenario
    guard !scenario.figures.isEmpty else { return [:] }
    let own = series.companionOf ?? series.name
    let tallies = scenario.series.filter { $0.name == own || $0.companionOf == own }.compactMap {
      series in
      measurements.tally(contender, series).map { (series.name, $0) }
    }
    guard let first = tallies.first?.1 else { return [:] }
    let evidence = Figure.Evidence(
      series: own,
      rounds: first.rounds.count,
      counts: first.counts,
      histograms: Dictionary(uniqueKeysWithValues: tallies.map { ($0, $1.total) })
    )
    return scenario.figures.reduce(into: [:]) { $0[$1.name] = $1.value(evidence) }
  }

  private static func comparisons(
    of results: [Result],
    scenarios: [Scenario],
    noise: [Noise]
  ) -> [Comparison] {
    results.flatMap { result -> [Comparison] in
      let scenario = scenarios.first { $0.name == result.scenario }
      let references = (scenario?.references ?? []).filter(result.isComparable).compactMap { name in
        results.first {
          ($0.scenario, $0.series, $0.peer) == (result.scenario, result.series, name)
        }
      }
      return references.flatMap { reference in
        comparedPercentiles.compactMap { percentile in
          let floor = noise.first {
            ($0.scenario, $0.series, $0.percentile)
              == (result.scenario, result.series, percentile.label)
          }?.interval
          let comparison = Comparison(result, with: reference, at: percentile, floor)
          let isFloor = scenario?.floors.contains(result.peer) ?? false
          return isFloor ? comparison?.unjudged : comparison
        }
      }
    }
  }

  private static func warnings(
    about measurements: Measurements,
    _ results: [Result],
    _ machine: Machine,
    isLoaded: Bool
  ) -> [Warning] {
    var warnings: [Warning] = machine.build == "debug" ? [.debugBuild] : []
    if measurements.isUnfinished, let round = measurements.rounds.first {
      warnings.append(.unfinished(round.order.count, of: measurements.contenders.count))
    }
    if measurements.rounds.count < RoundCount.least {
      let isTimed = measurements.runner.rounds.endNs != nil
      warnings.append(.fewRounds(measurements.rounds.count, isSlowed: isLoaded && isTimed))
    }
    let disturbed = measurements.rounds.filter(\.isDisturbed)
    if !disturbed.isEmpty {
      warnings.append(.disturbedRounds(disturbed, of: measurements.rounds.count))
    }
    return warnings
      + results.compactMap { result in
        let tally = measurements.tally(
          scenario: result.scenario,
          series: result.series,
          peer: result.peer
        )
        guard let early = tally?.earlyFires, early > 0 else { return nil }
        return Warning(
          id: "early-fire",
          text: "\(result.scenario) \(result.series): \(result.peer) fired early"
            + " \(String.counted(early, "time"))",
          hint: "a timer must never fire early; please report it with this file"
        )
      }
  }
}

extension Report.Settings {
  init(of measurements: Measurements, _ placement: Placement, _ load: BackgroundLoad) {
    rounds = measurements.rounds.count
    order = "shuffle"
    warmUp = Self.warmUp(of: measurements)
    warmUpRounds = measurements.warmUpRounds
    self.placement = placement
    pace = measurements.runner.pace
    self.load = load == .none ? nil : load.text
    overhead = measurements.overhead
    scenarios = measurements.scenarios.map(\.name)
    peers = measurements.contenders.map(\.peer.name).uniqued()
  }

  private static func warmUp(of measurements: Measurements) -> String {
    let count = measurements.warmUpRounds
    let rounds = count == 1 ? "one round" : "\(count) rounds"
    let settled = measurements.warmUpSettled ? " until medians settled" : ""
    return "\(rounds)\(settled), and the first batches of every slice"
  }
}

extension Report.Result {
  /// Returns whether to compare with `reference`. A twin is compared only with its
  /// original.
  fileprivate func isComparable(to reference: String) -> Bool {
    known.isTwin ? known.peer == reference + Contender.twinSuffix : known.peer != reference
  }
}

extension Measurements {
  /// The measured scenarios, in the order of the registry.
  package var scenarios: [Scenario] {
    contenders.map(\.scenario).uniqued(by: \.name)
  }

  /// The measured peers of `scenario`, in the order of the registry, followed by the
  /// twins. Each peer is represented by one contender.
  package func entries(of scenario: Scenario) -> [Contender] {
    let own = contenders.filter { $0.scenario.name == scenario.name }
    return (own.filter { !$0.isTwin } + own.filter(\.isTwin)).uniqued(by: \.peerName)
  }
}
