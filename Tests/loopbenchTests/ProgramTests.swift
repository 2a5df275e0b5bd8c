import LoopbenchKit
import TestSupport
import Testing
import LoopbenchCommands

@Suite("Program")
struct ProgramTests {
  private func run(_ arguments: String...) -> FakeProgram.Outcome { FakeProgram().run(arguments) }

  @Test("a run prints only its report")
  func text() {
    let result = run("--rounds", "10", "--seed", "5")
    #expect(result.code == .success)
    #expect(result.output.contains("10 rounds, shuffled by seed 5"))
    #expect(result.output.contains("    uv  5.00"))
    #expect(result.error == "")
  }

  @Test("-f json prints JSON")
  func json() {
    let result = run("-f", "json", "--rounds", "10", "tiny")
    #expect(result.code == .success)
    #expect(result.output.hasPrefix("{\n"))
    #expect(result.output.contains("\"schema\" : \"loopbench/1\""))
  }

  @Test("report of another file does not advise to write to it")
  func otherFile() {
    let result = run("report", "/etc/passwd")
    #expect(result.code == .failed)
    #expect(
      result.error == "loopbench: /etc/passwd is not a complete loopbench report;"
        + " name a file that loopbench -o wrote\n"
    )
  }

  @Test("a usage error causes exit code 2 and prints a hint")
  func usage() {
    let result = run("--peer=uv")
    #expect(result.code == .usage)
    #expect(result.output == "")
    #expect(
      result.error
        == "loopbench: there is no option \"--peer\"; did you mean \"--peers\"?\n"
        + "Try loopbench --help.\n"
    )
  }

  @Test("an unknown peer causes exit code 2, and another scenario's peer causes exit code 6")
  func peers() {
    #expect(run("-p", "vu").code == .usage)
    #expect(run("-p", "nosuch").error.contains("no peer \"nosuch\"; choose from uv, lt\n"))
    let result = run("tiny", "-p", "lt")
    #expect(result.code == .unavailable)
    #expect(result.error == "loopbench: tiny has no peer \"lt\"; it has uv\n")
  }

  @Test("if no peer has the named series, the error names the series of each peer")
  func nothingToMeasure() {
    var program = FakeProgram()
    program.context.registry = .standard
    let only = """
      closure.across, closure.self, closure.across.4, closure.across.16, closure.across.64, \
      closure.chain
      """
    for options in [["-n", "1"], ["--dry-run"]] {
      let result = program.run(["post/typed.self", "-p", "actor,dispatch"] + options)
      #expect(result.code == .unavailable)
      #expect(
        result.error == """
          loopbench: nothing to measure: \
          post peer "dispatch" measures only \(only); \
          post peer "actor" measures only \(only)

          """
      )
    }
  }

  @Test("an invalid rate or number of samples causes exit code 2, and the error states the range")
  func impossible() {
    for (option, value) in [("--rate", "0"), ("--rate", "-1/s"), ("--rate", "9e99"), ("-n", "0")] {
      let result = run(option, value)
      #expect(result.code == .usage)
      #expect(result.error.contains("\"\(value)\""), "\(result.error)")
    }
    #expect(run("-n", "0").error.contains("a whole number from 1 to 10000000"))
    #expect(run("--rate", "0").error.contains("a rate from 1/s to 1000000/s"))
  }

  @Test("a file that cannot be written causes exit code 1 before measuring")
  func unwritable() {
    let result = run("-o", "/no/such/place/x.json")
    #expect(result.code == .failed)
    #expect(result.output == "")
    #expect(
      result.error
        == "loopbench: cannot write \"/no/such/place/x.json\": no such file or directory\n"
    )
  }

  @Test("list names every scenario, series, peer, format and command")
  func list() throws {
    let (text, json) = (run("list").output, run("list", "--json").output)
    #expect(try text == Golden.expected(text, "list.txt"))
    #expect(try json == Golden.expected(json, "list.json"))
  }

  @Test("--version includes the version of libuv")
  func version() {
    #expect(run("--version").output.hasPrefix("loopbench 0.1.0 (libuv 1."))
    #expect(run("--version", "--json").output.contains("\"libuv\": \"1."))
  }

  @Test("--dry-run prints the plan and measures nothing")
  func dryRun() throws {
    var program = FakeProgram()
    program.context.registry = .made(uv: FixedPeer(name: "uv", scenario: "tiny", fails: true))
    let result = program.run(
      "tiny",
      "--dry-run",
      "--seed",
      "7",
      "--placement",
      "any",
      "-o",
      "x.json"
    )
    #expect(result.code == .success)
    let text = result.output
    #expect(try text == Golden.expected(text, "dry-run.txt"))
  }

  @Test("with a duration and a number of rounds, the run ends at the first limit it reaches")
  func both() {
    let plan = run("tiny", "--dry-run", "-d", "1s", "-n", "400").output
    #expect(plan.contains("10 rounds, but at most about 1.00s"))
    #expect(run("tiny", "-d", "1ns", "--rounds", "500").output.contains("1 round, shuffled"))
  }

  @Test("a recorded load is played in 6 rounds by default")
  func replay() throws {
    let folder = try Folder()
    let load = try folder.file("tiny.load", "loopreplay 1\n0 1 a b 10\n500 2 a b 10\n")
    let plan = run("replay", load, "--dry-run").output
    #expect(plan.contains(" 6 rounds,"), "\(plan)")
  }

  @Test("a scenario's series can be named like list prints it")
  func path() {
    for words in [["tiny/one"], ["run", "tiny/one"], ["tiny/one", "other/one"]] {
      let plan = FakeProgram().run(words + ["--dry-run"]).output
      #expect(plan.contains("tiny one"), "\(words)")
      #expect(plan.contains("other one") == words.contains("other/one"))
    }
    #expect(run("tiny/on", "--dry-run").error.contains("did you mean \"tiny/one\"?"))
    #expect(run("help", "tiny/one").output == run("help", "tiny").output)
    var program = FakeProgram()
    program.context.registry = .standard
    let metrics = program.run("list", "metrics", "--json").output.matches(of: /"(\w+\/[\w.]+)"/)
    #expect(metrics.count > 20)
    for metric in metrics.map({ String($0.output.1) }) {
      #expect(program.run(metric, "--dry-run").code == .success, "\(metric)")
    }
  }

  @Test("--series selects series, and an unknown series causes exit code 2")
  func series() {
    let plan = run("--dry-run", "--series", "tiny/one").output
    #expect(plan.contains("tiny one") && !plan.contains("other one"))
    let wrong = run("--series", "two")
    #expect(wrong.code == .usage)
    #expect(wrong.error.contains("there is no series \"two\"; choose from one\n"))
  }
}

extension ProgramTests {
  @Test("a time that is too short for a round is refused before anything is measured")
  func tooShort() {
    var program = FakeProgram()
    let one = Series(
      name: "one",
      summary: "one time",
      workload: Workload(warmUps: 1, samples: 5, operations: 1),
      operationNs: 450_000_000
    )
    program.context.registry = Registry(
      scenarios: [
        Scenario(name: "slow", summary: "a test", series: [one], preparationNs: 2_500_000_000)
      ],
      peers: ["uv", "lt"].map { FixedPeer(name: $0, scenario: "slow") }
    )
    let refused = program.run("-d", "10s", "--dry-run")
    #expect(refused.code == .usage)
    let reason = "-d must be at least 11s: one round takes 8.3 s, after a preparation of 2.5 s"
    #expect(refused.error.contains(reason), "\(refused.error)")
    #expect(program.run("-d", "11s", "--dry-run").code == .success)
    #expect(program.run("--dry-run").code == .success)
  }

  @Test("usage errors and doctor are wrapped to the width of the terminal")
  func wrapped() {
    var program = FakeProgram()
    program.context.errorWidth = { 40 }
    program.context.environment["COLUMNS"] = "50"
    let text = "a text of many words that is long and goes on"
    let finding = Finding("load", text).bad(fix: "do something that takes many words to explain")
    program.context.findings = { [finding] }
    let errors = program.run("--peers").error.split(separator: "\n")
    #expect(errors.allSatisfy { $0.count <= 40 }, "\(errors)")
    let lines = program.run("doctor").output.split(separator: "\n")
    #expect(lines.count > 2 && lines.allSatisfy { $0.count <= 50 }, "\(lines)")
    #expect(lines.dropFirst().allSatisfy { $0.hasPrefix("            ") }, "\(lines)")
  }

  @Test("--dry-run prints the duration of schedules")
  func dryRunTime() {
    var program = FakeProgram()
    program.context.registry = .standard
    let paced = program.run("wake", "-p", "uv", "--no-aa", "-n", "5000", "--dry-run").output
    #expect(paced.contains("10 rounds, at least 5."))
    #expect(program.run("commit", "-n", "50", "--dry-run").output.contains("of unknown duration"))
  }

  @Test("control characters in a file do not reach the terminal")
  func controls() throws {
    let folder = try Folder()
    let path = try folder.file("x.json")
    #expect(FakeProgram().run("tiny", "--rounds", "10", "-o", path).code == .success)
    let text = try folder.text("x.json").replacing(
      "\"peer\" : \"uv\"",
      with: "\"peer\" : \"u\\u001b[2J\\u009b\\rv\""
    )
    let bad = try folder.file("bad.json", text)
    for line in [["report", bad], ["report", bad, "-p", "no"]] {
      let result = FakeProgram().run(line)
      let shown = result.output + result.error
      #expect(shown.contains("u?[2J??v"), "\(line): \(shown)")
      let controls = shown.unicodeScalars.filter { $0.properties.generalCategory == .control }
      #expect(controls.allSatisfy { $0 == "\n" })
    }
  }
}
