import LoopbenchKit
import TestSupport
import Testing
import LoopbenchCommands

@Suite("HelpText")
struct HelpTextTests {
  @Test("the help of each command is the golden file", arguments: Command.Name.allCases)
  func command(_ name: Command.Name) throws {
    let outcome = FakeProgram().run(name.rawValue, "--help")
    #expect(outcome.code == .success)
    #expect(FakeProgram().run("help", name.rawValue).output == outcome.output)
    let text = outcome.output
    #expect(try text == Golden.expected(text, "help-\(name.rawValue).txt"))
  }

  @Test("the overview, a scenario's help and the manual page are the golden files")
  func overview() throws {
    let files = [["--help"]: "overview.txt", ["help", "tiny"]: "scenario.txt", ["man"]: "man.txt"]
    for (arguments, file) in files {
      let text = FakeProgram().run(arguments).output
      #expect(try text == Golden.expected(text, file))
    }
  }

  @Test("the help of a program with other scenarios names only its own")
  func own() {
    let run = FakeProgram().run("help", "run").output
    #expect(run.contains("such as one or\n") || run.contains("such as one or tiny/one"))
    #expect(!run.contains("wake") && run.contains("'tiny.p50>25us'"))
    #expect(!FakeProgram().run("--help").output.contains("--full"))
  }

  @Test("no line is longer than 100 columns")
  func width() {
    var program = FakeProgram()
    program.context.registry = .standard
    let topics = Command.Name.allCases.map(\.rawValue) + Registry.standard.scenarios.map(\.name)
    for arguments in [["--help"], ["list"]] + topics.map({ ["help", $0] }) {
      let lines = program.run(arguments).output.split(separator: "\n")
      // Lines that contain a command are not wrapped.
      let long = lines.filter { $0.count > 100 && !$0.hasPrefix("  loopbench") }
      #expect(long.allSatisfy { $0.hasPrefix("Usage:") }, "\(long)")
    }
  }

  @Test("the help of a command lists an option if and only if the command has it")
  func options() {
    for command in Command.Name.allCases {
      let help = HelpText.command(command)
      for option in Option.table {
        let isThere = help.contains("  " + option.usage + " ") || help.contains(option.usage + "\n")
        #expect(isThere == (option.row(of: command) != nil), "\(command) \(option.long)")
      }
    }
  }

  @Test("the help of every scenario has a timeline")
  func details() {
    for scenario in Registry.standard.scenarios {
      let help = HelpText.scenario(scenario, peers: Registry.standard.peers(of: scenario))
      #expect(help.contains("├"), "\(scenario.name) has no timeline")
    }
  }

  @Test("list, overview and manual page mark scenarios that run only if they are named")
  func named() {
    var program = FakeProgram()
    program.context.registry = Registry(
      scenarios: [
        Scenario(name: "tiny", summary: "a test", series: []),
        Scenario(name: "slow", summary: "a long test", series: [], isStandard: false),
      ],
      peers: []
    )
    for arguments in [["list", "scenarios"], ["--help"], ["man"]] {
      let text = program.run(arguments).output
      #expect(text.contains("a long test; only if named"), "\(arguments)")
      #expect(!text.contains("a test; only if named"), "\(arguments)")
    }
  }

  @Test("the error for an unknown topic suggests the nearest name")
  func topics() {
    let unknown = FakeProgram().run("help", "tny")
    #expect(unknown.code == .usage)
    #expect(unknown.error.contains("did you mean \"tiny\"?"))
  }
}
