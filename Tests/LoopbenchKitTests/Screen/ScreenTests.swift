import LoopbenchKit
import LoopbenchTestSupport
import TestSupport
import Testing

@Suite("Screen")
struct ScreenTests {
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

    func report(rounds: Int = 12) throws -> Report {
      let registry = Registry.questions(noise: noise)
      let placement = Placement(cpuCount: 2, loop: nil, producer: nil)
      let runner = Runner(
        contenders: try Selection(from: registry, placement: placement).contenders,
        seed: 7,
        rounds: .fixed(rounds),
        warmUp: .rounds(1),
        instruments: .stepping()
      )
      return Report(
        try runner.run(),
        argv: ["loopbench"],
        machine: Fixture.machine,
        placement: placement,
        warnings: state.faults.map { LoopbenchKit.Warning($0) }
      )
    }

    func screen(
      width: Int? = nil,
      rounds: Int = 12,
      _ change: (inout ReportStyle) -> Void = { _ in }
    ) throws -> String {
      var style = ReportStyle()
      style.width = width
      change(&style)
      return Screen(try report(rounds: rounds), Question.standard, state, style: style).text()
    }
  }

  @Test("the screen is the golden file", arguments: Machine.allCases, [80, 200])
  func golden(_ machine: Machine, width: Int) throws {
    let text = try machine.screen(width: width)
    #expect(try text == Golden.expected(text, "screen-\(width)-\(machine).txt"))
  }

  @Test("the screen fits into its terminal", arguments: Machine.allCases, [60, 80, 100, 119, 140])
  func fits(_ machine: Machine, width: Int) throws {
    let lines = try machine.screen(width: width).split(separator: "\n")
    #expect(lines.allSatisfy { $0.count <= width }, "\(lines)")
    if width >= 80 { #expect(lines.count <= 24, "\(lines)") }
    #expect(lines.contains { $0.contains("typical") && $0.contains("worst 1 %") })
  }

  @Test("a pipe gets 80 columns")
  func pipe() throws {
    #expect(try Machine.quiet.screen() == Machine.quiet.screen(width: 80))
  }

  @Test("the ASCII screen has the same words, and the colours repeat them")
  func styles() throws {
    let plain = try Machine.busy.screen(width: 80)
    let ascii = try Machine.busy.screen(width: 80) { $0.isASCII = true }
    #expect(ascii.utf8.allSatisfy { $0 < 128 })
    #expect(ascii.contains("###|") && plain.contains("███│"))
    #expect(ascii.count { $0 == "\n" } == plain.count { $0 == "\n" })
    let colored = try Machine.busy.screen(width: 80) { $0.usesColor = true }
    #expect(colored.contains("\u{1B}[32msooner\u{1B}[0m"))
    #expect(colored.contains("\u{1B}[31mdearer\u{1B}[0m"))
    #expect(colored.replacing(/\u{1B}\[\d+m/, with: "") == plain)
  }

  @Test("a worse time is called later or dearer, in the row and in the finding")
  func worse() throws {
    let text = try Machine.quiet.screen(width: 80)
    #expect(text.contains("A duplicate commit costs") && text.contains("15x dearer"))
    #expect(text.contains("duplicate commits are dearer; "))
  }

  @Test("on a busy machine the top and each verdict say so")
  func busy() throws {
    let text = try Machine.busy.screen(width: 80)
    let second = text.split(separator: "\n")[1]
    #expect(second.hasPrefix("warning: other processes used 1.92 of 2 CPUs"))
    #expect(text.contains("sooner ?") && text.contains("dearer ?"))
    #expect(text.contains("Machine: busy. Other processes used 1.92 of 2 CPUs during 12 rounds."))
    #expect(text.contains("loopbench doctor"))
    #expect(try !Machine.quiet.screen(width: 80).contains("?\n"))
  }

  @Test("a verdict that the numbers do not explain has a reason")
  func reasons() throws {
    let few = try Machine.quiet.screen(width: 80, rounds: 1)
    #expect(few.contains("unsure: only 1 round, 6 are needed"))
    let noisy = try Machine.busy.screen(width: 80)
    #expect(noisy.contains("same: within the noise floor of ") || noisy.contains("unsure: "))
  }

  @Test("a question without results is not measured")
  func missing() throws {
    let text = Screen(
      try Fixture().report(),
      Question.standard,
      MachineState()
    ).text()
    #expect(text.contains("not measured"))
    #expect(text.contains("Nothing was compared with libuv."))
  }
}

@Suite("Question")
struct QuestionTests {
  @Test("the standard registry answers every question, and another registry none")
  func answered() {
    #expect(Question.answerable(by: .standard) == Question.standard)
    #expect(Question.answerable(by: Fixture().registry) == [])
  }

  @Test("a question sets the number of samples of its series")
  func samples() throws {
    let registry = Registry.standard.answering(Question.standard)
    for question in Question.standard {
      let series = registry.scenarios.first { $0.name == question.scenario }?.series
      let found = try #require(series?.first { $0.name == question.series })
      if let samples = question.samples { #expect(found.workload.samples == samples) }
      #expect(found.workload.samples * RoundCount.least > 100, "the worst 1 % of \(question.path)")
    }
  }
}
