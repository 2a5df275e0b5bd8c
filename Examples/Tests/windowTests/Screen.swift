import Foundation
import Testing

/// A virtual display that runs one program and sends it key presses.
final class Screen {
  private let display: VirtualDisplay
  private var program: TestProgram?

  init() throws { display = try VirtualDisplay(size: "640x480x24") }

  /// Starts the built program and gives its window `title` the keyboard focus. Returns the
  /// window's identifier.
  func run(_ program: String, _ arguments: [String] = [], window title: String) throws -> String {
    try start(program, arguments)
    let window = try xdotool("search", "--sync", "--name", "^\(title)$")
    try xdotool("windowfocus", "--sync", window)
    return window
  }

  /// Starts the built program.
  func start(_ program: String, _ arguments: [String]) throws {
    let started = TestProgram(
      TestProgram.built(program),
      arguments,
      environment: environment
    )
    try started.startUnblocked()
    self.program = started
  }

  /// Sends a signal to the program.
  func signal(_ signal: Int32) throws {
    kill(try #require(program).process.processIdentifier, signal)
  }

  /// Runs xdotool. Returns the last line of its output.
  @discardableResult
  func xdotool(_ arguments: String...) throws -> String {
    try tool(["xdotool"] + arguments)
  }

  /// Returns the number of colours in the window.
  func colours(of window: String) throws -> Int {
    Int(try tool(["import", "-window", window, "-format", "%k", "info:"])) ?? 0
  }

  /// Returns the mean brightness of the window, from 0 to 255.
  func brightness(of window: String) throws -> Int {
    let mean = "%[fx:round(255*mean)]"
    return Int(try tool(["import", "-window", window, "-format", mean, "info:"])) ?? 0
  }

  var isRunning: Bool { get throws { try #require(program).process.isRunning } }

  /// Waits until the program ends. Returns its output.
  func finish() throws -> TestProgram.Output { try #require(program).finish() }

  /// Runs a tool. Returns the last line of its output.
  private func tool(_ words: [String]) throws -> String {
    let output = try TestProgram.run("timeout", ["20"] + words, environment: environment)
    guard output.code == 0 else { throw Failed(words: words, output: output) }
    return output.lines.last?.trimmingCharacters(in: .whitespaces) ?? ""
  }

  private struct Failed: Error {
    let words: [String]
    let output: TestProgram.Output
  }

  private var environment: [String: String?] {
    [
      "DISPLAY": display.name,
      // The test has no session bus and no accessibility bus.
      "GTK_A11Y": "none",
      "DBUS_SESSION_BUS_ADDRESS": "disabled:",
      // A GTK critical message aborts the program.
      "G_DEBUG": "fatal-criticals",
      // glibc overwrites freed memory, which exposes a use after free.
      "MALLOC_PERTURB_": "85",
    ]
  }
}
