import LoopbenchKit
import TestSupport
import Testing
import LoopbenchCommands

@Suite("HelpText")
struct HelpTextTests {
  @Test("the help of each command is what the golden file says", arguments: Command.Name.allCases)
  func command(_ name: Command.Name) throws {
    let outcome = FakeProgram().run(name.rawValue, "--help")
    #expect(outcome.code == .success)
    #expect(FakeProgram().run("help", name.rawValue).output == outcome.output)
    let text = outcome.output
    #expect(try text == Golden.expected(text, "help-\(name.rawValue).txt"))
  }

  @Test("the overview, a scenario and the manual page are what the golden files say")
  func overview() throws {
    let files = [["--help"]: "overview.txt", ["help", "tiny"]: "scenario.txt", ["man"]: "man.txt"]
    for (arguments, file) in files {
      let text = FakeProgram().run(arguments).output
      #expect(try text == Golden.expected(text, file))
    }
  }

  @Test("no line is longer than 100 columns")
  func width() {
    var program = FakeProgram()
    program.context.registry = .standard
    let topics = Command.Name.allCases.map(\.rawValue) + Registry.standard.scenarios.map(\.name)
    for arguments in [["--help"], ["list"]] + topics.map({ ["help", $0] }) {
      let lines = program.run(arguments).output.split(separator: "\n")
      // A line to be typed is not broken.
      let long = lines.filter { $0.count > 100 && !$0.hasPrefix("  loopbench") }
      #expect(long.allSatisfy { $0.hasPrefix("Usage:") }, "\(long)")
    }
  }

  @Test("every option is in the help of each command that takes it, and of no other")
  func options() {
    for command in Command.Name.allCases {
      let help = HelpText.command(command)
      for option in Option.table {
        let isThere = help.contains("  " + option.usage + " ") || help.contains(option.usage + "\n")
        #expect(isThere == (option.row(of: command) != nil), "\(command) \(option.long)")
      }
    }
  }

  @Test("every scenario explains what is timed")
  func details() {
    for scenario in Registry.standard.scenarios {
      let help = HelpText.scenario(scenario, peers: Registry.standard.peers(of: scenario))
      #expect(help.contains("├"), "\(scenario.name) has no time line")
    }
  }

  @Test("a scenario that has to be named says so, in the list, the overview and the manual")
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
      #expect(text.contains("a long test; if asked for"), "\(arguments)")
      #expect(!text.contains("a test; if asked for"), "\(arguments)")
    }
  }

  @Test("an unknown topic is refused with the nearest name")
  func topics() {
    let unknown = FakeProgram().run("help", "tny")
    #expect(unknown.code == .usage)
    #expect(unknown.error.contains("did you mean \"tiny\"?"))
  }
}
