import Testing
import loopbench

@Suite("OptionParser")
struct OptionParserTests {
  private func parse(_ arguments: String...) throws(UsageError) -> Options {
    try OptionParser.parse(arguments, scenarios: ["wake", "idle"])
  }

  @Test("nothing means run everything")
  func nothing() throws {
    #expect(try parse() == Options())
  }

  @Test("a scenario may stand where a command may")
  func scenarios() throws {
    #expect(try parse("wake", "idle").scenarios == ["wake", "idle"])
    #expect(try parse("run", "wake") == parse("wake"))
    #expect(try parse("wake").command == .run)
  }

  @Test("values come after a space, an equals sign or a short name")
  func values() throws {
    let expected = ["lt", "uv"]
    #expect(try parse("--peers", "lt,uv").peers == expected)
    #expect(try parse("--peers=lt,uv").peers == expected)
    #expect(try parse("-p", "lt,uv").peers == expected)
    #expect(try parse("-plt,uv").peers == expected)
    #expect(try parse("wake", "-f", "json", "--seed", "7", "--rounds=12", "-o", "x").seed == 7)
  }

  @Test("the last of several values wins")
  func last() throws {
    #expect(try parse("--rounds", "3", "--rounds", "4").rounds == 4)
  }

  @Test("what follows a double dash is no option")
  func doubleDash() throws {
    #expect(try parse("wake", "--", "--odd").scenarios == ["wake", "--odd"])
  }

  @Test("help and version win over what else was asked")
  func help() throws {
    #expect(try parse("list", "--help").command == .help)
    #expect(try parse("-h").command == .help)
    #expect(try parse("nonsense", "--version").command == .version)
  }

  @Test(
    "a bad command line is refused with a message",
    arguments: [
      (["--peer", "uv"], "there is no option \"--peer\"; did you mean \"--peers\"?"),
      (["--frobnicate"], "there is no option \"--frobnicate\""),
      (["-x"], "there is no option \"-x\""),
      (["wkae"], "there is no command or scenario \"wkae\"; did you mean \"wake\"?"),
      (["lst"], "there is no command or scenario \"lst\"; did you mean \"list\"?"),
      (["--rounds"], "--rounds needs a value: --rounds N"),
      (["--rounds", "0"], "--rounds needs a whole number from 1 to 1000, got \"0\""),
      (["--rounds", "ten"], "--rounds needs a whole number from 1 to 1000, got \"ten\""),
      (["--seed=-1"], "--seed needs a whole number from 0 to 9007199254740992, got \"-1\""),
      (["-f", "xml"], "-f needs text or json, got \"xml\""),
      (["-p", "uv,,lt"], "-p needs names separated by commas, got \"uv,,lt\""),
      (["-p", ""], "-p needs names separated by commas, got \"\""),
      (["-o", ""], "-o needs the name of a file (standard output: --format json), got \"\""),
      (["--version=2"], "--version takes no value, got \"2\""),
      (["list", "wake"], "list takes no arguments, got \"wake\""),
    ]
  )
  func badInput(arguments: [String], message: String) {
    let error = #expect(throws: UsageError.self) {
      try OptionParser.parse(arguments, scenarios: ["wake", "idle"])
    }
    #expect(error?.description == message)
  }
}
