import LoopbenchKit
import Testing
import loopbench

@Suite("Program")
struct ProgramTests {
  private func run(_ arguments: String...) -> (code: ExitCode, output: String, error: String) {
    var texts: [Terminal: String] = [:]
    let program = Program(arguments: ["loopbench"] + arguments, registry: .tiny) { terminal, text in
      texts[terminal, default: ""] += text
    }
    let code = program.run()
    return (code, texts[.output] ?? "", texts[.error] ?? "")
  }

  @Test("a run prints its report and nothing else")
  func text() {
    let result = run("--rounds", "10", "--seed", "5")
    #expect(result.code == .success)
    #expect(result.output.contains("10 rounds, shuffled by seed 5"))
    #expect(result.output.contains("    uv  5.00"))
    #expect(result.error == "")
  }

  @Test("json goes to standard output on request")
  func json() {
    let result = run("-f", "json", "--rounds", "10", "tiny")
    #expect(result.code == .success)
    #expect(result.output.hasPrefix("{\n"))
    #expect(result.output.contains("\"schema\" : \"loopbench/1\""))
  }

  @Test("wrong usage is exit 2, with where to look")
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

  @Test("a peer nobody has is exit 2; one the scenario does not have is exit 6")
  func peers() {
    #expect(run("-p", "vu").code == .usage)
    let result = run("tiny", "-p", "lt")
    #expect(result.code == .unavailable)
    #expect(result.error == "loopbench: tiny has no peer \"lt\"; it has uv\n")
  }

  @Test("a file that can not be written is exit 1, before anything is measured")
  func unwritable() {
    let result = run("-o", "/no/such/place/x.json")
    #expect(result.code == .failed)
    #expect(result.output == "")
    #expect(
      result.error
        == "loopbench: can not write \"/no/such/place/x.json\": no such file or directory\n"
    )
  }

  @Test("list names every scenario, series and peer")
  func list() {
    #expect(
      run("list").output == """
        tiny: a test
          one: one time
          peers:
            uv: fixed

        other: another test
          peers:
            lt: fixed

        """
    )
  }

  @Test("every option and command is in the help")
  func help() {
    let output = run("--help").output
    for option in Option.table {
      #expect(output.contains("  \(option.usage)  "))
      #expect(output.contains(option.summary))
    }
    for command in Options.Command.allCases { #expect(output.contains("  \(command.rawValue) ")) }
    #expect(output.split(separator: "\n").allSatisfy { $0.count <= 100 })
  }

  @Test("the version names libuv's too")
  func version() {
    #expect(run("--version").output.hasPrefix("loopbench 0.1.0 (libuv 1."))
  }
}

private struct FixedPeer: Peer {
  let name: String
  let scenario: String
  let series = ["one"]
  let summary = "fixed"

  func measure(_ slice: inout Slice) throws(PeerFailure) {
    slice.sample { operations in UInt64(operations) * 5 }
  }
}

extension Registry {
  fileprivate static let tiny = Registry(
    scenarios: [
      Scenario(
        name: "tiny",
        summary: "a test",
        series: [
          Series(
            name: "one",
            summary: "one time",
            effort: Effort(warmUps: 0, samples: 4, operations: 10)
          )
        ]
      ),
      Scenario(name: "other", summary: "another test", series: []),
    ],
    peers: [
      FixedPeer(name: "uv", scenario: "tiny"),
      FixedPeer(name: "lt", scenario: "other"),
    ]
  )
}
