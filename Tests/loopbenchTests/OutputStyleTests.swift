import LoopbenchKit
import Testing
import LoopbenchCommands

@Suite("OutputStyle")
struct OutputStyleTests {
  private func style(
    _ environment: [String: String],
    isTerminal: Bool = true,
    _ change: (inout Options) -> Void = { _ in }
  ) -> OutputStyle {
    var options = Options()
    change(&options)
    return OutputStyle(options, environment: environment) { _ in isTerminal }
  }

  @Test("terminals get colours, unless the environment or an option decides otherwise")
  func color() {
    #expect(style([:]).usesColor)
    #expect(!style([:], isTerminal: false).usesColor)
    #expect(!style(["NO_COLOR": "1"]).usesColor)
    #expect(style(["NO_COLOR": ""]).usesColor)
    #expect(!style(["TERM": "dumb"]).usesColor)
    #expect(style(["CLICOLOR_FORCE": "1"], isTerminal: false).usesColor)
    #expect(!style(["CLICOLOR_FORCE": "0"], isTerminal: false).usesColor)
    #expect(!style(["CLICOLOR_FORCE": "1", "NO_COLOR": "1"]).usesColor)
    #expect(style(["NO_COLOR": "1"]) { $0.color = .always }.usesColor)
    #expect(!style([:]) { $0.color = .never }.usesColor)
  }

  @Test("progress is shown on a terminal, unless CI is set")
  func progress() {
    #expect(style([:]).usesProgress)
    #expect(!style([:], isTerminal: false).usesProgress)
    #expect(!style(["CI": "true"]).usesProgress)
    #expect(style(["CI": "false"]).usesProgress)
    #expect(!style(["TERM": "dumb"]).usesProgress)
    #expect(style(["CI": "1"], isTerminal: false) { $0.progress = .always }.usesProgress)
    #expect(!style([:]) { $0.progress = .never }.usesProgress)
    #expect(!style([:]) { $0.isQuiet = true }.usesProgress)
    #expect(!style([:]) { ($0.isQuiet, $0.progress) = (true, .always) }.usesProgress)
  }

  @Test("only ASCII is written on a dumb terminal, or with --ascii")
  func ascii() {
    #expect(!style([:]).isASCII)
    #expect(style(["TERM": "dumb"]).isASCII)
    #expect(style([:]) { $0.isASCII = true }.isASCII)
  }

  @Test(
    "a locale without UTF-8 gets only ASCII, and the first variable that is set decides",
    arguments: [
      (["LANG": "C"], true), (["LANG": "POSIX"], true), (["LANG": "de_DE.ISO-8859-1"], true),
      (["LANG": "C.UTF-8"], false), (["LANG": "en_GB.utf8"], false), (["LANG": ""], false),
      (["LC_ALL": "C", "LANG": "C.UTF-8"], true), (["LC_ALL": "", "LANG": "C.UTF-8"], false),
      (["LC_ALL": "C.UTF-8", "LC_CTYPE": "C", "LANG": "C"], false),
      (["LC_CTYPE": "C", "LANG": "C.UTF-8"], true),
    ]
  )
  func locale(environment: [String: String], isASCII: Bool) {
    #expect(style(environment).isASCII == isASCII)
  }

  @Test("COLUMNS is the width of the output, if it is a positive number")
  func columns() {
    let widths = ["40", "0", "-1", "wide", ""].map { columns in
      OutputStyle(Options(), environment: ["COLUMNS": columns], width: 80) { _ in true }.width
    }
    #expect(widths == [40, 80, 80, 80, 80])
    #expect(OutputStyle(Options(), environment: ["COLUMNS": "200"]) { _ in false }.width == 200)
    #expect(OutputStyle(Options(), environment: [:]) { _ in false }.width == nil)
  }
}

@Suite("ASCII")
struct ASCIITests {
  private func program(_ environment: [String: String]) -> FakeProgram {
    var program = FakeProgram()
    program.context.registry = .standard
    program.context.environment = environment
    program.context.findings = {
      [Finding("cpus", "1 CPU · shared").bad(fix: "add one …")]
    }
    return program
  }

  private static let lines =
    [["list"], ["doctor"], ["baseline", "list"], ["help"], ["nosuch…"]]
    + Registry.standard.scenarios.map { ["help", $0.name] }

  @Test(
    "TERM=dumb and --ascii print only ASCII, with the same layout",
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

  @Test("--ascii also applies to a scenario's --help")
  func help() {
    #expect(program([:]).run("wake", "--help", "--ascii").output.allSatisfy { $0.isASCII })
  }
}
