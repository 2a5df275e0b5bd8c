private import FoundationEssentials
import LoopbenchKit

/// `loopbench doctor`: is this machine fit for measuring?
struct DoctorCommand {
  let options: Options
  let context: Context

  func run(_ write: @escaping Program.Write) throws -> ExitCode {
    let findings = context.findings()
    try write(.output, options.isJSON ? try Self.json(findings) : shown(findings))
    let worst = findings.map(\.status).max() ?? .ok
    return options.isStrict && worst == .bad ? .unfit : .success
  }

  private static func json(_ findings: [Finding]) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(findings), as: UTF8.self) + "\n"
  }

  private func shown(_ findings: [Finding]) -> String {
    context.look(options).isASCII ? ASCII.text(text(findings)) : text(findings)
  }

  private func text(_ findings: [Finding]) -> String {
    let width = findings.map(\.id.count).max() ?? 0
    let usesColor = context.look(options).usesColor
    let lines = findings.flatMap { finding in
      let id = finding.id + String(repeating: " ", count: width - finding.id.count)
      let status = Self.colored(finding.status, usesColor)
      let fix = finding.fix.map { [String(repeating: " ", count: width + 8) + "→ " + $0] } ?? []
      return ["\(status)  \(id)  \(finding.text)"] + fix
    }
    return lines.map { $0 + "\n" }.joined()
  }

  /// Padded to four columns.
  private static func colored(_ status: Finding.Status, _ usesColor: Bool) -> String {
    let (color, text) =
      switch status {
      case .ok: ("32", "ok  ")
      case .warn: ("33", "warn")
      case .bad: ("31", "bad ")
      }
    return usesColor ? "\u{1B}[\(color)m\(text)\u{1B}[0m" : text
  }
}
