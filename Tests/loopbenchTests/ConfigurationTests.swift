import Foundation
import LoopbenchKit
import TestSupport
import Testing
import LoopbenchCommands

@Suite("Configuration")
struct ConfigurationTests {
  private func options(_ json: String, _ arguments: String...) throws -> Options {
    try OptionParser.parse(arguments, scenarios: ["wake"]) { _ in
      try Configuration(Array(json.utf8), path: "c.json")
    }
  }

  @Test("keys are long options, and values can have any JSON type")
  func keys() throws {
    let options = try options(
      """
      {"rounds": 12, "peers": ["lt", "uv"], "format": "json", "strict": true, "quiet": false,
       "label": {"b": "2", "a": "1"}, "fail": ["p99>+10%"], "duration": "3s"}
      """
    )
    #expect(options.rounds == 12)
    #expect(options.peers == ["lt", "uv"])
    #expect(options.format == .json)
    #expect(options.isStrict)
    #expect(!options.isQuiet)
    #expect(options.labels == ["a": "1", "b": "2"])
    #expect(options.rules == ["p99>+10%"])
    #expect(options.duration == 3_000_000_000)
  }

  @Test("options on the command line replace the options of the file")
  func precedence() throws {
    let json = "{\"rounds\": 12, \"seed\": 3, \"fail\": \"any>+1%\"}"
    let options = try options(json, "--rounds", "4", "--fail", "any>+2%")
    #expect(options.rounds == 4)
    #expect(options.seed == 3)
    #expect(options.rules == ["any>+2%"])
  }

  @Test("options that the command does not have are ignored")
  func others() throws {
    #expect(try options("{\"rounds\": 12, \"ascii\": true}", "report", "f").rounds == nil)
    #expect(try options("{\"rounds\": 12, \"ascii\": true}", "report", "f").isASCII)
    #expect(try options("not JSON", "list").command == .list)
  }

  @Test(
    "the error for an invalid file states the problem",
    arguments: [
      ("{\"rouns\": 3}", "c.json: there is no option \"rouns\"; did you mean \"rounds\"?"),
      ("{\"help\": true}", "c.json: there is no option \"help\""),
      ("{\"strict\": 1}", "c.json: strict needs true or false"),
      ("{\"rounds\": 1.5}", "c.json: rounds needs a whole number from 1 to 1000, got \"1.5\""),
      (
        "[1",
        "c.json: it is not a JSON object of options, such as {\"rounds\": 12, \"peers\": [\"lt\", \"uv\"]}"
      ),
    ]
  )
  func bad(json: String, message: String) {
    let error = #expect(throws: LoopbenchError.self) { try options(json) }
    #expect(error?.description == message)
  }

  @Test("a named file must exist")
  func files() throws {
    let folder = try Folder()
    let path = try folder.file("c.json", "{\"rounds\": 7}")
    #expect(
      try OptionParser.parse(["-C", path], scenarios: [], configuration: Configuration.read).rounds
        == 7
    )
    #expect(throws: LoopbenchError.self) { try Configuration.read(path + ".not") }
  }

  @Test("only a named file may run a command")
  func commands() throws {
    let bytes = Array("{\"load\": \"cmd:true\"}".utf8)
    let named = try OptionParser.parse(["wake"], scenarios: ["wake"]) { _ in
      try Configuration(bytes, path: "c.json", isNamed: true)
    }
    #expect(named.load == .command("true"))
    let unnamed = try Configuration(bytes, path: "loopbench.json", isNamed: false)
    let error = #expect(throws: LoopbenchError.self) {
      try OptionParser.parse(["wake"], scenarios: ["wake"]) { _ in unnamed }
    }
    #expect(
      error?.description == "loopbench.json: \"load\" runs a command, which is allowed only on the"
        + " command line and in a file that -C names; use --load, or -C loopbench.json"
    )
    let given = try OptionParser.parse(["wake", "--load", "cmd:false"], scenarios: ["wake"]) { _ in
      unnamed
    }
    #expect(given.load == .command("false"))
    #expect(try OptionParser.parse(["report", "x"], scenarios: []) { _ in unnamed }.load == .none)
  }

  @Test(
    "only a named file may write files",
    arguments: [("output", "x.json"), ("export", "prom=x.prom"), ("plot", "x.svg")]
  )
  func writing(key: String, value: String) throws {
    let bytes = Array("{\"\(key)\": \"\(value)\"}".utf8)
    let untrusted = try Configuration(bytes, path: "loopbench.json", isNamed: false)
    let error = #expect(throws: LoopbenchError.self) {
      try OptionParser.parse(["wake"], scenarios: ["wake"]) { _ in untrusted }
    }
    #expect(
      error?.description == "loopbench.json: \"\(key)\" writes a file, which is allowed only on the"
        + " command line and in a file that -C names; use --\(key), or -C loopbench.json"
    )
    let arguments = ["wake", "--\(key)", value]
    let given = try OptionParser.parse(arguments, scenarios: ["wake"]) { _ in untrusted }
    let named = try OptionParser.parse(["wake"], scenarios: ["wake"]) { _ in
      try Configuration(bytes, path: "loopbench.json")
    }
    #expect(given == named)
  }

  @Test("options that take a file write it, except those that read a file")
  func fileOptions() {
    for option in Option.table {
      guard case .value(let words, _) = option.action else { continue }
      switch words {
      case .file, .exports:
        #expect(option.writesFile != ["--baseline", "--config"].contains(option.long))
      case .any, .oneOf, .peers, .scenarios: #expect(!option.writesFile)
      }
    }
  }

  @Test("a FIFO, device or folder named loopbench.json is refused without blocking")
  func notRegular() async {
    await #expect(processExitsWith: .success) {
      // Kills the process if reading blocks.
      TestSupport.Process.endInTime()
      let folder = try Folder()
      #expect(chdir(folder.path) == 0)
      let make: [() -> Int32] = [
        { mkfifo("loopbench.json", 0o600) }, { mkdir("loopbench.json", 0o700) },
        { symlink("/dev/zero", "loopbench.json") },
      ]
      for make in make {
        #expect(make() == 0)
        let error = #expect(throws: LoopbenchError.self) { try Configuration.read(nil) }
        #expect(
          error?.description == "loopbench.json: it is not a regular file; remove it, or name a"
            + " file of options with -C"
        )
        #expect(remove("loopbench.json") == 0)
      }
      #expect(try Configuration.read(nil) == nil)
      try FileManager.default.createSymbolicLink(
        atPath: "loopbench.json",
        withDestinationPath: folder.file("real.json", "{\"rounds\": 7}")
      )
      #expect(try Configuration.read(nil) != nil)
    }
  }

  @Test("the error for a report in place of a configuration file says that it is a report")
  func report() throws {
    let folder = try Folder()
    let path = try folder.file("loopbench.json")
    #expect(FakeProgram().run("tiny", "--rounds", "10", "-o", path).code == .success)
    let result = FakeProgram().run("tiny", "-C", path)
    #expect(result.code == .usage)
    #expect(
      result.error.contains(
        "\(path): it is a report, not options; move it, or name a file of options with -C"
      )
    )
  }

  @Test("a file that never ends is refused")
  func endless() throws {
    let configured = FakeProgram().run("tiny", "-C", "/dev/zero")
    #expect(configured.code == .usage)
    #expect(
      configured.error.contains("/dev/zero: it is larger than 1 MB, so it is not a file of options")
    )
    let reported = FakeProgram().run("report", "/dev/zero")
    #expect(reported.code == .failed)
    #expect(reported.error.contains("/dev/zero is larger than 64 MB, the limit for a report"))
  }
}
