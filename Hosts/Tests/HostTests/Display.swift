import Foundation

/// A display that nobody sees.
struct Display {
  struct Missing: Error {}

  let name: String
  private let server = Process()

  init() throws {
    server.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    server.arguments = [
      "Xvfb", "-displayfd", "1", "-screen", "0", "800x600x24", "-nolisten", "tcp",
    ]
    let output = Pipe()
    server.standardOutput = output
    server.standardError = FileHandle.nullDevice
    try server.run()
    // The number comes once clients can connect.
    let number = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    guard !number.isEmpty else { throw Missing() }
    name = ":\(number.trimmingCharacters(in: .newlines))"
  }

  func end() {
    // Tests run on threads that block all signals, and it inherits that.
    kill(server.processIdentifier, SIGKILL)
    server.waitUntilExit()
  }
}
