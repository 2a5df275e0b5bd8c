import LoopbenchKit

/// `loopbench --version`.
enum VersionText {
  static func render(isJSON: Bool) -> String {
    let tool = Report.Tool.loopbench
    guard isJSON else { return "\(tool.name) \(tool.version) (libuv \(Machine.libuvVersion))\n" }
    let machine = Machine.detect()
    return """
      {"name": "\(tool.name)", "version": "\(tool.version)", "schema": "\(Report.currentSchema)", \
      "libuv": "\(machine.libuv)", "swift": "\(machine.swift)", "build": "\(machine.build)"}

      """
  }
}
