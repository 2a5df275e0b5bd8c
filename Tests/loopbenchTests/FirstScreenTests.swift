import LoopbenchCommands
import LoopbenchKit
import LoopbenchTestSupport
import TestSupport
import Testing

@Suite("FirstScreen")
struct FirstScreenTests {
  private var program = FakeProgram()

  init() {
    program.context.registry = .questions(noise: 0.01)
    program.context.loops = { most, width, program in
      ["  4711  node server.js", "at most \(most), \(width) columns, by \(program)"]
    }
  }

  @Test("without arguments, loopbench explains watch and lists programs and commands")
  func screen() throws {
    let result = program.run()
    #expect(result.code == .success && result.error == "")
    #expect(try result.output == Golden.expected(result.output, "first-screen.txt"))
    let lines = result.output.split(separator: "\n", omittingEmptySubsequences: false)
    // The list has at most six more lines than here.
    #expect(lines.count + 6 <= 25 && lines.allSatisfy { $0.count <= 80 })
    for command in Command.Name.allCases { #expect(result.output.contains(command.rawValue)) }
  }

  @Test("on a terminal, only the commands are bold, and a narrow one has its own lines for them")
  func terminal() {
    var terminal = program
    terminal.context.isTerminal = { $0 == .output }
    let bold = terminal.run().output
    #expect(bold.contains("  \u{1B}[1mloopbench watch -- COMMAND\u{1B}[0m  start"), "\(bold)")
    let plain = bold.replacing("\u{1B}[1m", with: "").replacing("\u{1B}[0m", with: "")
    #expect(plain == program.run().output)
    terminal.context.width = { 40 }
    terminal.context.environment["NO_COLOR"] = "1"
    let narrow = terminal.run().output
    #expect(narrow.contains("\n  loopbench watch --pid PID\n    watch a program that runs\n"))
    #expect(narrow.split(separator: "\n").allSatisfy { $0.count <= 40 }, "\(narrow)")
  }

  @Test("a list that cannot be read is one line, and the commands are still named")
  func unreadable() {
    var program = program
    program.context.loops = { _, _, _ in throw LoopbenchError.failed("EMFILE") }
    let output = program.run().output
    #expect(output.contains("\nThe programs that run are not listed: EMFILE.\n"))
    #expect(output.contains("compare-libuv"))
  }

  @Test("the commands have the name of the calling script")
  func script() {
    var program = program
    program.context.environment["LOOPBENCH_NAME"] = "scripts/loopbench"
    let output = program.run().output
    #expect(output.contains("\n  scripts/loopbench watch --pid PID "), "\(output)")
    #expect(output.contains("by scripts/loopbench\n"))
  }

  @Test("watch is among the commands, and its help is the help of its program")
  func watch() {
    let overview = program.run("--help").output
    #expect(overview.contains("\n  watch          find out why"), "\(overview)")
    #expect(program.run("list", "commands").output.contains("\n  watch          find out why"))
    #expect(program.run("__complete", "wat").output.hasPrefix("watch\tfind out why"))
    #expect(FakeProgram().run("__complete", "wat").output == "")
    #expect(program.run("watch").error.contains("with: scripts/loopbench watch --list; then run"))
  }
}
