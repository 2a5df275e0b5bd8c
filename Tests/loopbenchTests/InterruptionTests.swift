import LoopbenchKit
import Testing
import LoopbenchCommands

@Suite("Interruption")
struct InterruptionTests {
  @Test(
    "a run that ends early prints and writes the results so far",
    arguments: [(Interruption.Reason.interrupted, ExitCode.interrupted), (.timedOut, .timedOut)]
  )
  func endsEarly(reason: Interruption.Reason, code: ExitCode) throws {
    let folder = try Folder()
    var program = FakeProgram()
    program.context.interruption = interruption(reason, after: 20)
    let result = program.run("tiny", "--rounds", "1000", "-o", try folder.file("x.json"))
    #expect(result.code == code)
    #expect(result.output.contains("uv"))
    let report = try ReportFile.read(try folder.file("x.json"))
    #expect((1..<1000).contains(report.rounds.count))
    let id = reason == .interrupted ? "interrupted" : "timed-out"
    #expect(report.warnings.map(\.id).contains(id))
  }

  @Test(
    "a check that ends early compares nothing, and its exit code states the reason",
    arguments: [(Interruption.Reason.interrupted, ExitCode.interrupted), (.timedOut, .timedOut)]
  )
  func check(reason: Interruption.Reason, code: ExitCode) throws {
    let folder = try Folder()
    let base = try folder.file("base.json")
    var program = FakeProgram()
    let measure = ["--rounds", "10", "-w", "1ns"]
    #expect(program.run(measure + ["-o", base]).code == .success)
    program.context.interruption = interruption(reason, after: 10)
    let rule = ["--baseline", base, "--fail", "other.p50>+10%"]
    let result = program.run(["check"] + measure + rule)
    #expect(result.code == code, "\(result.error)")
    #expect(result.error.contains("the run ended early, so it was not compared"))
  }

  @Test("a check that is interrupted while it measures again prints no verdict")
  func again() {
    var program = FakeProgram()
    program.context.interruption = interruption(.interrupted, after: 30)
    let result = program.run("check", "tiny", "--rounds", "10", "-w", "1ns", "--fail", "p50>1ns")
    #expect(result.code == .interrupted)
    #expect(result.error.contains("measuring again in a fresh process (1 of at most 6)"))
    #expect(result.error.contains("the run ended early, so it was not compared"))
    #expect(!result.output.contains("verdict:"))
  }

  @Test("a run that ends before its first round reports that, and writes no file")
  func nothing() throws {
    let folder = try Folder()
    var program = FakeProgram()
    program.context.interruption = interruption(.interrupted, after: 0)
    let result = program.run("tiny", "-o", try folder.file("x.json"))
    #expect(result.code == .interrupted)
    #expect(result.output == "")
    #expect(result.error.contains("nothing was measured"))
    #expect(try folder.names == [])
  }

  @Test("the file is written even if standard output is closed")
  func closed() throws {
    let folder = try Folder()
    var context = Context(arguments: ["loopbench"], registry: .tiny)
    context.arguments += ["tiny", "--rounds", "10", "-q", "-o", try folder.file("x.json")]
    let gone = SystemError(code: 32)
    let program = Program(context) { (terminal, _) throws(SystemError) in
      if terminal == .output { throw gone }
    }
    #expect(program.run() == .failed)
    #expect(try ReportFile.read(try folder.file("x.json")).rounds.count == 10)
  }

  @Test("a scenario that fails causes exit code 1, and the other results are printed and written")
  func failure() throws {
    let folder = try Folder()
    var program = FakeProgram()
    program.context.registry = .made(uv: FixedPeer(name: "uv", scenario: "tiny", fails: true))
    let result = program.run("--rounds", "10", "-o", try folder.file("x.json"))
    #expect(result.code == .failed)
    #expect(result.output.contains("out of luck"))
    let report = try ReportFile.read(try folder.file("x.json"))
    #expect(report.results.map(\.scenario) == ["other", "other"])
    #expect(report.warnings.map(\.id).contains("peer-failed"))
  }
}
