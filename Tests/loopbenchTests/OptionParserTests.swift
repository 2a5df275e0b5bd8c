import LoopbenchKit
import Testing
import LoopbenchCommands

@Suite("OptionParser")
struct OptionParserTests {
  private func parse(_ arguments: String...) throws -> Options {
    try OptionParser.parse(arguments, scenarios: ["wake", "idle"])
  }

  @Test("no arguments mean run with the defaults")
  func nothing() throws {
    #expect(try parse() == Options())
  }

  @Test("a scenario in place of a command means run")
  func scenarios() throws {
    #expect(try parse("wake", "idle").operands == ["wake", "idle"])
    #expect(try parse("run", "wake") == parse("wake"))
    #expect(try parse("wake").command == .run)
    #expect(try parse("check", "wake").operands == ["wake"])
  }

  @Test("a value can follow a space, an equals sign or a short name")
  func values() throws {
    let expected = ["lt", "uv"]
    #expect(try parse("--peers", "lt,uv").peers == expected)
    #expect(try parse("--peers=lt,uv").peers == expected)
    #expect(try parse("-p", "lt,uv").peers == expected)
    #expect(try parse("-plt,uv").peers == expected)
    #expect(try parse("wake", "-f", "json", "--seed", "7", "--rounds=12", "-o", "x").seed == 7)
    #expect(try parse("-p", "all").shownPeers == [])
  }

  @Test("the last value replaces earlier ones, except of repeatable options")
  func last() throws {
    #expect(try parse("--rounds", "3", "--rounds", "4").rounds == 4)
    let options = try parse("--fail", "p50>1us", "--fail=p90>+5%", "--label", "k=v=w")
    #expect(options.rules == ["p50>1us", "p90>+5%"])
    #expect(options.labels == ["k": "v=w"])
  }

  @Test("arguments after a double dash are not options")
  func doubleDash() throws {
    #expect(try parse("wake", "--", "--odd").operands == ["wake", "--odd"])
  }

  @Test("--help and --version take precedence")
  func help() throws {
    #expect(try parse("list", "--help").command == .help)
    #expect(try parse("list", "--help").operands == ["list"])
    #expect(try parse("-h").operands == [])
    #expect(try parse("nonsense", "--version").command == .version)
    #expect(try parse("--version", "--json").isJSON)
  }

  @Test("every option with a value refuses an invalid one")
  func expected() {
    for option in Option.table {
      guard case .value(_, let apply) = option.action else { continue }
      var options = Options()
      let bad = ["", "x=", "-1"].first { apply(&options, $0) != nil }
      #expect(bad.map { apply(&options, $0) != nil } == true, "\(option.long) takes anything")
    }
  }

  @Test(
    "the error for an invalid command line states the problem",
    arguments: [
      (["--peer", "uv"], "there is no option \"--peer\"; did you mean \"--peers\"?"),
      (["--frobnicate"], "there is no option \"--frobnicate\""),
      (["-x"], "there is no option \"-x\""),
      (["wkae"], "there is no command or scenario \"wkae\"; did you mean \"wake\"?"),
      (["lst"], "there is no command or scenario \"lst\"; did you mean \"list\"?"),
      (["--rounds"], "--rounds needs a value: --rounds N"),
      (["--rounds", "0"], "--rounds needs a whole number from 1 to 1000, got \"0\""),
      (["--rounds", "ten"], "--rounds needs a whole number from 1 to 1000, got \"ten\""),
      (["-n", "0"], "-n needs a whole number from 1 to 10000000, got \"0\""),
      (["--seed=-1"], "--seed needs a whole number from 0 to 9007199254740992, got \"-1\""),
      (["-d", "3"], "-d needs a time with its unit, such as 3s, 250ms or 25us, got \"3\""),
      (["-r", "0"], "-r needs a rate from 1/s to 1000000/s, such as 1000/s or 5k/s, got \"0\""),
      (
        ["-f", "xml"],
        "-f needs text, markdown, json or csv, got \"xml\""
      ),
      (["--color", "red"], "--color needs auto, always or never, got \"red\""),
      (
        ["--percentiles", "50,101"],
        "--percentiles needs percentiles separated by commas, such as 50,99.9,max, got \"50,101\""
      ),
      (["--label", "k"], "--label needs a key and a value, such as commit=1a2b3c, got \"k\""),
      (
        ["--placement", "0"],
        "--placement needs auto, any, same, cross, or the producer's and the loop's CPU, such as 0,1, got \"0\""
      ),
      (
        ["--load", "cpu:99"],
        "--load needs none, cpu:N or mem:N with N from 1 to 64, or cmd:COMMAND, got \"cpu:99\""
      ),
      (
        ["replay", "--series", "tick", "x.load"],
        "replay has no option --series; it is an option of run, check, trace"
      ),
      (["--for", "1s"], "run has no option --for; it is an option of trace"),
      (["-p", "uv,,lt"], "-p needs names separated by commas, got \"uv,,lt\""),
      (["-o", ""], "-o needs the name of a file (standard output: --format json), got \"\""),
      (["--strict=2"], "--strict takes no value, got \"2\""),
      (
        ["list", "wake"],
        "list needs scenarios, peers, metrics, formats or commands, got \"wake\""
      ),
      (
        ["completion", "bsh"],
        "completion needs bash, zsh or fish, got \"bsh\"; did you mean \"bash\"?"
      ),
      (["man", "x"], "man takes no more arguments, got \"x\""),
      (["report"], "report needs an argument: loopbench report FILE... [OPTION...]"),
      (
        ["list", "--seed", "1"],
        "list has no option --seed; it is an option of run, compare-libuv, check, replay, trace"
      ),
      (["baseline", "keep"], "baseline needs save, list, show or rm, got \"keep\""),
    ]
  )
  func badInput(arguments: [String], message: String) {
    let error = #expect(throws: LoopbenchError.self) {
      try OptionParser.parse(arguments, scenarios: ["wake", "idle"])
    }
    #expect(error?.description == message)
  }

  @Test("options that a recorded load determines are not options of replay")
  func replay() throws {
    for option in ["-n=5", "--rate=5k/s", "--arrival=poisson", "--series=tick"] {
      let words = ["replay", "a.load"] + option.split(separator: "=").map(String.init)
      let error = #expect(throws: LoopbenchError.self) {
        try OptionParser.parse(words, scenarios: [])
      }
      #expect(error?.description.hasPrefix("replay has no option") ?? false)
    }
  }

  @Test("options of selection and measurement are kept")
  func measuring() throws {
    let words = ["tiny", "-p", "uv", "--no-aa", "--ascii"]
    let options = try OptionParser.parse(words, scenarios: ["tiny"])
    #expect(options.measuring == ["--peers=uv", "--no-aa"])
  }
}
