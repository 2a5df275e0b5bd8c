import Foundation
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
    #expect(!FakeProgram().run("--help").output.contains("compare-libuv"))
  }

  @Test("a program has its own name in its help and errors, and lists its own commands")
  func name() {
    var program = FakeProgram()
    program.context.arguments = ["/usr/bin/loopbench-tiny"]
    program.context.extraCommands = [
      ExtraCommand(name: "film", summary: "draw a film") { Int32($0.count) }
    ]
    let overview = program.run("--help").output
    #expect(overview.hasPrefix("loopbench-tiny measures"))
    #expect(overview.contains("Usage: loopbench-tiny [COMMAND]"))
    #expect(overview.contains("  film        draw a film\n"))
    #expect(overview.contains("Peers:\n  uv  fixed\n"))
    for name in Command.Name.allCases {
      let help = program.run("help", name.rawValue).output
      #expect(help.hasPrefix("Usage: loopbench-tiny ") && !help.contains("  loopbench "), "\(name)")
    }
    let unknown = program.run("flm").error
    #expect(unknown.hasPrefix("loopbench-tiny: ") && unknown.contains("did you mean \"film\"?"))
    #expect(unknown.hasSuffix("Try loopbench-tiny --help.\n"))
    #expect(program.run("list", "commands").output.contains("  film        draw a film\n"))
    for (words, count) in [(["film", "-o", "x"], 2), (["help", "film"], 1)] {
      program.context.arguments = ["loopbench-tiny"] + words
      #expect(ExtraCommand.run(in: program.context) == Int32(count))
    }
    program.context.arguments = ["loopbench-tiny", "list"]
    #expect(ExtraCommand.run(in: program.context) == nil)
  }

  @Test("a scenario's help has the columns of its table of figures, with hanging lines")
  func figures() {
    let long = String(repeating: "meaning ", count: 20)
    let scenario = Scenario(
      name: "tiny",
      summary: "a test",
      series: [],
      figures: [Figure("a", title: "a ms", summary: long) { _ in nil }]
    )
    let lines = HelpText.scenario(scenario, peers: []).split(separator: "\n")
    #expect(lines.contains("Columns of the table of figures:"))
    #expect(lines.contains { $0.hasPrefix("  a ms  meaning") && $0.count <= 80 })
    #expect(lines.contains { $0.hasPrefix("        meaning") })
  }

  @Test("list says for each scenario whether a peer must be named")
  func standard() {
    var program = FakeProgram()
    program.context.registry = .standard
    let lines = program.run("list", "peers").output.split(separator: "\n")
    let cond = lines.filter { $0.contains("(only if named)") }
    #expect(!cond.isEmpty, "\(lines)")
  }

  @Test("list peers --json describes each peer in each of its scenarios")
  func implementations() throws {
    struct Entry: Decodable {
      let name: String
      let scenarios: [String]
      let implementations: [String: String]
    }
    var program = FakeProgram()
    program.context.registry = .standard
    let output = program.run("list", "peers", "--json").output
    let list = try JSONDecoder().decode([String: [Entry]].self, from: Data(output.utf8))
    let entries = try #require(list["peers"])
    for entry in entries { #expect(Set(entry.implementations.keys) == Set(entry.scenarios)) }
    let cond = try #require(entries.first { $0.name == "cond" })
    #expect(cond.implementations["post"]?.contains("pthread_mutex") == true)
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
