import LoopbenchCommands
import LoopbenchKit
import LoopbenchTestSupport
import Testing

@Suite("ScreenCommand")
struct ScreenCommandTests {
  private var program = FakeProgram()

  init() {
    program.context.registry = .questions(noise: 0.01)
  }

  private let short = ["--rounds", "6", "-w", "1ns"]
  private var screen: [String] { ["compare-libuv"] + short }

  @Test("compare-libuv prints one screen")
  func oneScreen() {
    let result = program.run(screen)
    #expect(result.code == .success)
    #expect(result.output.hasPrefix("How late is your loop?"))
    #expect(result.output.contains("x sooner"))
    #expect(result.output.count { $0 == "\n" } <= 24)
    #expect(result.error == "")
  }

  @Test(
    "a scenario, and options without a command, print tables",
    arguments: [
      ["run"], [], ["timer"], ["wake/same"], ["-p", "uv,lt"], ["--series", "same"],
      ["--percentiles", "50"], ["--fail", "timer/lateness.p50>1h"], ["-f", "markdown"],
    ]
  )
  func tables(words: [String]) {
    let result = program.run(words + short)
    #expect(result.code == .success, "\(result.error)")
    #expect(!result.output.contains("How late"))
    #expect(result.output.contains("vs uv p50"))
  }

  @Test(
    "compare-libuv takes neither scenarios nor the options of tables",
    arguments: [
      ["timer"], ["-p", "uv,lt"], ["--series", "same"], ["--percentiles", "50"],
      ["--fail", "timer/lateness.p50>1h"], ["--baseline", "main"], ["-f", "json"],
    ]
  )
  func refused(words: [String]) {
    let result = program.run(["compare-libuv"] + words)
    #expect(result.code == .usage && result.error.contains("compare-libuv"), "\(result.error)")
  }

  @Test("a program without the six series has no compare-libuv")
  func other() {
    let other = FakeProgram()
    let result = other.run("compare-libuv")
    #expect(result.code == .unavailable)
    #expect(result.error.contains("does not have the series"), "\(result.error)")
    for words in [["--help"], ["list"], ["man"], ["__complete", "c"]] {
      #expect(!other.run(words).output.contains("compare-libuv"), "\(words)")
      #expect(program.run(words).output.contains("compare"), "\(words)")
    }
  }

  @Test("the screen measures its series for at most 18 s, with or without a file")
  func plan() throws {
    var program = program
    program.context.registry = .standard
    let plan = program.run("compare-libuv", "--dry-run").output
    #expect(plan.hasPrefix("18 turns per round, 30 rounds, but at most about 18.0s"))
    for question in Question.standard {
      #expect(plan.contains("\(question.scenario) \(question.series)  "), "\(question.path)")
    }
    #expect(!plan.contains("drain") && !plan.contains("eventfd"))
    #expect(plan.split(separator: "\n").filter { $0.hasSuffix("uv, lt, uv.again") }.count == 6)
    let written = program.run("compare-libuv", "--dry-run", "-o", "x.json").output
    let plans = [plan, written].map { $0.replacing(/seed \d+/, with: "") }
    #expect(plans[1] == plans[0] + "\nWrites:\n  x.json\n")
    #expect(program.run("run", "--dry-run").output.contains("drain"))
  }

  @Test("a file of the screen's run contains the six series, and the screen is printed")
  func file() throws {
    let folder = try Folder()
    let path = try folder.file("answer.json")
    let result = program.run(screen + ["-o", path])
    #expect(result.code == .success, "\(result.error)")
    #expect(result.output.hasPrefix("How late is your loop?"))
    let report = try ReportFile.read(path)
    let paths = report.results.filter { $0.peer == "lt" }.map { "\($0.scenario)/\($0.series)" }
    #expect(paths == Question.standard.map(\.path))
    #expect(Set(report.results.map(\.peer)) == ["uv", "lt", "uv.again"])
  }

  @Test("a machine that is busy during the run is reported, unless the options request the load")
  func busy() {
    var program = program
    program.context.watch = {
      {
        var state = MachineState()
        (state.others, state.cpus) = (1.5, 2)
        state.faults = [Doctor.load(1.5, of: 2, "during the run")]
        return state
      }
    }
    let busy = program.run(screen).output
    #expect(busy.contains("warning: other processes used 1.50 of 2 CPUs"))
    #expect(busy.contains("Machine: busy."))
    let table = program.run(["timer"] + short).output
    #expect(table.contains("warning load: other processes used 1.50 of 2 CPUs"))
    #expect(table.contains("faster (busy)"))
    #expect(program.run(["timer", "-f", "json"] + short).output.contains("\"id\" : \"load\""))
    // The time of the load's processes is not part of the others' time.
    let loaded = program.run(screen + ["--load", "cpu:1"]).output
    #expect(loaded.contains("Machine: busy with --load cpu:1."))
    #expect(loaded.contains("warning: other processes used 1.50 of 2 CPUs"))
    // The processes that a command starts may outlive it, so their time is unknown.
    let command = program.run(screen + ["--load", "cmd:sleep 60"]).output
    #expect(command.contains("Machine: busy with --load cmd:sleep 60."))
    #expect(!command.contains("warning: other processes"))
  }

  @Test("the commands of the answer, the help and the errors have the name of the calling script")
  func script() {
    var program = program
    program.context.environment["LOOPBENCH_NAME"] = "scripts/loopbench"
    let answer = program.run(screen).output
    #expect(answer.contains("\nscripts/loopbench run         every scenario"), "\(answer)")
    #expect(answer.contains("\nscripts/loopbench help wake   where a wake"), "\(answer)")
    #expect(program.run("help", "run").output.contains("  scripts/loopbench run\n"))
    let error = program.run("--nonsense").error
    #expect(error.hasSuffix("Try scripts/loopbench --help.\n"), "\(error)")
    // The script runs another program by that program's own name.
    program.context.arguments = ["/usr/bin/loopbench-frames"]
    #expect(program.run("--help").output.hasPrefix("loopbench-frames measures"))
  }
}
