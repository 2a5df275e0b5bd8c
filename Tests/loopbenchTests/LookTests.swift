import LoopbenchKit
import Testing
import LoopbenchCommands

@Suite("Look")
struct LookTests {
  private func look(
    _ environment: [String: String],
    isTerminal: Bool = true,
    _ change: (inout Options) -> Void = { _ in }
  ) -> Look {
    var options = Options()
    change(&options)
    return Look(options, environment: environment) { _ in isTerminal }
  }

  @Test("colour is for a terminal, unless the environment or an option says")
  func color() {
    #expect(look([:]).usesColor)
    #expect(!look([:], isTerminal: false).usesColor)
    #expect(!look(["NO_COLOR": "1"]).usesColor)
    #expect(look(["NO_COLOR": ""]).usesColor)
    #expect(!look(["TERM": "dumb"]).usesColor)
    #expect(look(["CLICOLOR_FORCE": "1"], isTerminal: false).usesColor)
    #expect(!look(["CLICOLOR_FORCE": "0"], isTerminal: false).usesColor)
    #expect(!look(["CLICOLOR_FORCE": "1", "NO_COLOR": "1"]).usesColor)
    #expect(look(["NO_COLOR": "1"]) { $0.color = .always }.usesColor)
    #expect(!look([:]) { $0.color = .never }.usesColor)
  }

  @Test("progress is for a terminal that somebody looks at")
  func progress() {
    #expect(look([:]).usesProgress)
    #expect(!look([:], isTerminal: false).usesProgress)
    #expect(!look(["CI": "true"]).usesProgress)
    #expect(look(["CI": "false"]).usesProgress)
    #expect(!look(["TERM": "dumb"]).usesProgress)
    #expect(look(["CI": "1"], isTerminal: false) { $0.progress = .always }.usesProgress)
    #expect(!look([:]) { $0.progress = .never }.usesProgress)
    #expect(!look([:]) { $0.isQuiet = true }.usesProgress)
    #expect(!look([:]) { ($0.isQuiet, $0.progress) = (true, .always) }.usesProgress)
  }

  @Test("ASCII is for a dumb terminal, or on request")
  func ascii() {
    #expect(!look([:]).isASCII)
    #expect(look(["TERM": "dumb"]).isASCII)
    #expect(look([:]) { $0.isASCII = true }.isASCII)
  }
}

@Suite("ASCII")
struct ASCIITests {
  private func program(_ environment: [String: String]) -> FakeProgram {
    var program = FakeProgram()
    program.context.registry = .standard
    program.context.environment = environment
    program.context.findings = {
      [.bad("cpus", "1 CPU · shared", fix: "add one …")]
    }
    return program
  }

  private static let lines =
    [["list"], ["doctor"], ["baseline", "list"], ["help"], ["nosuch…"]]
    + Registry.standard.scenarios.map { ["help", $0.name] }

  @Test(
    "a dumb terminal, or --ascii, gets nothing beyond ASCII, in the same place",
    arguments: lines
  )
  func all(line: [String]) {
    let full = program([:]).run(line)
    for plain in [program(["TERM": "dumb"]).run(line), program([:]).run(line + ["--ascii"])] {
      #expect(plain.code == full.code)
      #expect((plain.output + plain.error).allSatisfy { $0.isASCII })
      #expect(!plain.output.contains("?"))
      guard line[0] == "help" else { continue }
      let widths = [full, plain].map { $0.output.split(separator: "\n").map(\.count) }
      #expect(widths[0] == widths[1])
    }
  }

  @Test("--ascii stands where a scenario's help is asked for by --help, too")
  func help() {
    #expect(program([:]).run("wake", "--help", "--ascii").output.allSatisfy { $0.isASCII })
  }
}
