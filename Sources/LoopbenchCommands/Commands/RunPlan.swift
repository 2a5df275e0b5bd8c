import LoopbenchKit

/// The plan of a run: contenders, placement and rounds.
struct RunPlan {
  let options: Options
  let selection: Selection
  let placement: Placement
  let seed: UInt64

  init(_ options: Options, registry: Registry) throws {
    self.options = options
    placement = try Self.placement(options.placement)
    seed = options.seed ?? UInt64(UInt32.random(in: .min ... .max))
    let rounds = options.rounds ?? RoundCount.least
    selection = try Selection(
      from: options.samples.map { registry.taking(samples: $0, in: rounds) } ?? registry,
      scenarios: options.operands,
      peers: options.peers,
      series: options.series,
      placement: placement,
      control: options.control
    )
    try checkSelection()
    try checkDuration()
  }

  /// Throws if no chosen peer can measure a chosen series here.
  private func checkSelection() throws(LoopbenchError) {
    guard selection.contenders.isEmpty else { return }
    let unavailable = selection.warnings.filter { $0.id == "series-unavailable" }.map(\.text)
    let reasons = selection.unmatched + unavailable
    throw .unavailable(
      "nothing to measure"
        + (reasons.isEmpty ? "; name a scenario" : ": " + reasons.joined(separator: "; "))
    )
  }

  /// Throws if the time of the run is too short for a round, if a schedule says so before
  /// anything is measured.
  private func checkDuration() throws(LoopbenchError) {
    guard let duration = options.duration, let schedule = runner().schedule else { return }
    // 2 %: a slice takes more time than its schedule. Not measured.
    let roundNs = schedule.roundNs + schedule.roundNs / 50
    let least = schedule.preparationNs + roundNs
    guard duration < least else { return }
    func text(_ nanoseconds: UInt64) -> String {
      Decimals.text(Double(nanoseconds) / 1e9, digits: 1) + " s"
    }
    let preparation =
      schedule.preparationNs > 0
      ? ", after a preparation of \(text(schedule.preparationNs))" : ""
    throw .usage(
      "-d must be at least \((least + 999_999_999) / 1_000_000_000)s:"
        + " one round takes \(text(roundNs))" + preparation
    )
  }

  var rounds: RoundCount {
    guard let rounds = options.rounds ?? (options.samples.map { _ in RoundCount.least }) else {
      return options.duration.map { .within(nanoseconds: $0, rounds: RoundCount.most) } ?? .standard
    }
    return options.duration.map { .within(nanoseconds: $0, rounds: rounds) } ?? .fixed(rounds)
  }

  /// The report of the run, without results.
  func expectation() -> Report {
    Report(runner().plan, argv: [], machine: .detect(), placement: placement, load: options.load)
  }

  func runner() -> Runner {
    Runner(
      contenders: selection.contenders,
      seed: seed,
      rounds: rounds,
      warmUp: options.warmUp,
      pace: Pace(rate: options.rate, arrival: options.arrival)
    )
  }

  func start() throws(LoopbenchError) -> RunningLoad {
    do {
      return try RunningLoad(options.load)
    } catch {
      throw .failed("cannot start the load \(options.load.text): \(error)")
    }
  }

  private static func placement(
    _ choice: Options.PlacementChoice
  ) throws(LoopbenchError) -> Placement {
    let detected = Placement.detect()
    switch choice {
    case .automatic: return detected
    case .any: return Placement(cpuCount: detected.cpuCount, loop: nil, producer: nil)
    case .same:
      let loop = detected.loop
      return Placement(cpuCount: detected.cpuCount, loop: loop, producer: loop)
    case .cross:
      guard detected.producer != nil else {
        throw .unavailable("--placement cross needs at least 2 allowed CPUs")
      }
      return detected
    case .cpus(let producer, let loop):
      try check([producer, loop])
      return Placement(cpuCount: detected.cpuCount, loop: loop, producer: producer)
    }
  }

  private static func check(_ cpus: [Int]) throws(LoopbenchError) {
    let allowed = Placement.allowedCPUs
    guard let other = cpus.first(where: { !allowed.contains($0) }) else { return }
    let those = allowed.map(String.init).joined(separator: ", ")
    throw .unavailable(
      allowed.isEmpty
        ? "threads cannot be placed on this system"
        : "CPU \(other) is not allowed for this process; allowed are \(those)"
    )
  }
}

extension Options {
  /// The twins to measure. Comparing two runs requires the noise of each series in both
  /// runs. Every series therefore has a twin if the run has a baseline, or writes a
  /// file that may become a baseline.
  var control: AAControl {
    guard usesTwin else { return .never }
    return baseline == nil && output == nil ? .compared : .always
  }
}

extension RunPlan {
  /// The output of `--dry-run`.
  var text: String {
    String(blocks: [
      ["\(turns) per round, \(time), shuffled by seed \(seed)", placement.text]
        + options.load.parts,
      ["Measures:"] + scenarios,
      options.output.map { ["Writes:", "  " + $0] } ?? [],
      selection.warnings.map { "warning \($0.id): \($0.text); \($0.hint)" },
    ])
  }

  private var turns: String { String.counted(selection.contenders.count, "turn") }

  private var time: String {
    switch rounds {
    case .fixed(let count): "\(String.counted(count, "round")), \(leastTime(count))"
    case .fitting(let nanoseconds):
      "about \(nanoseconds / 1_000_000_000) s, but 10 to 30 rounds"
    case .within(let nanoseconds, let rounds):
      "\(String.counted(rounds, "round")), but at most about \(TimeText.short(Double(nanoseconds)))"
    }
  }

  /// The total duration of the schedules, which is known before measuring.
  private func leastTime(_ rounds: Int) -> String {
    let samples = selection.contenders.map(\.series).filter { $0.kind == .intended }
      .reduce(0) { $0 + $1.workload.warmUps + $1.workload.samples }
    let seconds = Double(samples * rounds) / options.rate
    guard seconds > 0 else { return "of unknown duration" }
    return "at least \(Decimals.figures(seconds)) s for the schedules"
  }

  private var scenarios: [String] {
    let rows = selection.contenders.map {
      (name: "\($0.scenario.name) \($0.series.name)", peer: $0.peerName)
    }
    return Layout.rows(
      rows.map(\.name).uniqued().map { name in
        (name, rows.filter { $0.name == name }.map(\.peer).joined(separator: ", "))
      }
    )
  }
}

extension RunPlan {
  /// The plan of a run that answers `questions`, within 20 s in all. A file that it
  /// writes contains the series of the questions.
  init(_ options: Options, registry: Registry, answering questions: [Question]) throws {
    guard !questions.isEmpty else {
      self = try RunPlan(options, registry: registry)
      return
    }
    var asked = options
    asked.series = questions.map(\.path)
    asked.peers = [Question.peer, Question.reference]
    let isLimited = options.duration == nil && options.rounds == nil && options.samples == nil
    if isLimited { (asked.duration, asked.rounds) = (Self.screenNs, RoundCount.most) }
    self = try RunPlan(asked, registry: registry.answering(questions))
  }

  // 18 s: the last slice, which may begin at the end of that time, and the report need
  // the rest of the 20 s.
  private static let screenNs: UInt64 = 18_000_000_000
}

extension Invocation {
  /// The questions of a run that prints one screen. Empty if the run prints tables.
  func questions() throws(LoopbenchError) -> [Question] {
    guard options.command == .compareLibuv else { return [] }
    let questions = Question.answerable(by: context.registry)
    guard !questions.isEmpty else {
      throw .unavailable(
        "\(context.programName) does not have the series that are compared with libuv; run loopbench"
          + " compare-libuv"
      )
    }
    return questions
  }
}
