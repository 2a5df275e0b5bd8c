import LoopbenchKit
import LoopbenchTestSupport

/// A report, and the other input of a screen. Each style makes another screen.
struct MeasuredScreen {
  let report: Report
  var state = ScreenTests.Machine.quiet.state
  var tails: [Tail] = []

  func screen(
    width: Int? = nil,
    _ change: (inout ReportStyle) -> Void = { _ in }
  ) -> Screen {
    var style = ReportStyle()
    style.width = width
    change(&style)
    return Screen(report, Question.standard, state, tails: tails, style: style)
  }
}

extension ScreenTests {
  enum Machine: String, CaseIterable, Sendable {
    case quiet
    case busy

    var noise: Double { self == .quiet ? 0.004 : 0.2 }

    var state: MachineState {
      var state = MachineState()
      (state.others, state.cpus) = (self == .quiet ? 0.02 : 1.92, 2)
      let load = Doctor.load(state.others ?? 0, of: 2, "during the run")
      state.faults = [load].filter { $0.status == .bad }
      return state
    }

    func measurements(
      of registry: Registry,
      rounds: Int = 12,
      cpus: Int = 2
    ) throws -> Measurements {
      let placement = Placement(cpuCount: cpus, loop: nil, producer: nil)
      let runner = Runner(
        contenders: try Selection(from: registry, placement: placement).contenders,
        seed: 7,
        rounds: .fixed(rounds),
        warmUp: .rounds(1),
        instruments: .stepping()
      )
      return try runner.run()
    }

    func report(
      _ measurements: Measurements,
      on machine: LoopbenchKit.Machine = Fixture.machine
    ) -> Report {
      Report(
        measurements,
        argv: ["loopbench"],
        machine: machine,
        placement: Placement(cpuCount: 2, loop: nil, producer: nil),
        warnings: state.faults.map { LoopbenchKit.Warning($0) }
      )
    }

    func report(
      rounds: Int = 12,
      factor: Double? = nil,
      on machine: LoopbenchKit.Machine = Fixture.machine
    ) throws -> Report {
      let registry = Registry.questions(noise: noise, factor: factor)
      return report(try measurements(of: registry, rounds: rounds), on: machine)
    }

    /// Measures the questions once, for any number of screens.
    func measured(
      _ registry: Registry? = nil,
      rounds: Int = 12,
      cpus: Int = 2
    ) throws -> MeasuredScreen {
      let registry = registry ?? .questions(noise: noise)
      let measurements = try measurements(of: registry, rounds: rounds, cpus: cpus)
      return MeasuredScreen(
        report: report(measurements),
        state: state,
        tails: measurements.tails(of: Question.standard)
      )
    }

    /// The text of one screen.
    func screen(width: Int? = nil, rounds: Int = 12) throws -> String {
      try measured(rounds: rounds).screen(width: width).text()
    }
  }
}
