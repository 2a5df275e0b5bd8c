import LoopbenchKit
import Testing
import LoopbenchCommands

@Suite("--format")
struct FormatOptionTests {
  private let folder: Folder
  private let lines: [Command.Name: [String]]

  init() throws {
    folder = try Folder()
    let report = try folder.file("a.json")
    let load = try folder.file("a.load", "loopreplay 1\n0 1 a b 10\n500 2 a b 10\n")
    let ran = FakeProgram().run("tiny", "--rounds", "10", "-o", report)
    #expect(ran.code == .success, "\(ran.error)")
    lines = [
      .run: ["tiny", "--rounds", "10"],
      .check: ["check", "tiny", "--rounds", "10", "--baseline", report],
      .replay: ["replay", load, "--rounds", "1", "-p", "uv"],
      .report: ["report", report],
      .compare: ["compare", report, report],
    ]
  }

  /// The formats that a command offers.
  private func words(of command: Command.Name) -> [String] {
    let row = Option.of(command).first { $0.long == "--format" }
    guard case .value(.oneOf(let words), _) = row?.action else { return [] }
    return words
  }

  @Test("every command writes each format that it offers, and refuses the others")
  func every() {
    for command in Command.Name.allCases where !words(of: command).isEmpty {
      for format in ReportFormat.allCases.map(\.rawValue) {
        let result = FakeProgram().run((lines[command] ?? []) + ["-f", format])
        let isOffered = words(of: command).contains(format)
        #expect(
          result.code == (isOffered ? .success : .usage),
          "\(command) \(format): \(result.error)"
        )
        #expect(result.output.isEmpty != isOffered, "\(command) \(format)")
      }
    }
  }

  @Test("compare offers only text, markdown and json")
  func compare() {
    #expect(words(of: .compare) == ["text", "markdown", "json"])
    #expect(words(of: .report) == ReportFormat.allCases.map(\.rawValue))
    let result = FakeProgram().run((lines[.compare] ?? []) + ["-f", "csv"])
    #expect(result.error.contains("-f needs text, markdown or json, got \"csv\""))
  }
}
