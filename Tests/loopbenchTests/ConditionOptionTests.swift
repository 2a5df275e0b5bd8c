import LoopbenchKit
import Testing
import LoopbenchCommands

@Suite("Conditions on the command line")
struct ConditionOptionTests {
  private func parse(_ arguments: String...) throws -> Options {
    try OptionParser.parse(arguments, scenarios: ["wake"])
  }

  @Test("--load sets the load of a run")
  func load() throws {
    #expect(try parse().load == .none)
    #expect(try parse("--load", "mem:2").load == .memory(2))
    #expect(try parse("--load", "mem:2", "--load", "none").load == .none)
  }

  @Test("the report, its file and the plan all contain the load")
  func shown() throws {
    let folder = try Folder()
    let path = try folder.file("x.json")
    let result = FakeProgram().run("tiny", "--rounds", "10", "--load", "cpu:1", "-o", path)
    #expect(result.code == .success, "\(result.error)")
    #expect(result.output.contains("\nload cpu:1\n"))
    #expect(try ReportFile.read(path).settings.load == "cpu:1")
    let plan = FakeProgram().run("tiny", "--dry-run", "--load", "cpu:1")
    #expect(plan.output.contains("\nload cpu:1\n"))
  }

  @Test("a CPU that is not allowed causes exit code 6 before measuring")
  func cpus() {
    guard !Placement.allowedCPUs.isEmpty else { return }
    let result = FakeProgram().run("tiny", "--placement", "0,1023")
    #expect(result.code == .unavailable)
    #expect(result.output == "")
    #expect(
      result.error.hasPrefix("loopbench: CPU 1023 is not allowed for this process; allowed are ")
    )
  }

  @Test("--placement same puts loop and producer on one CPU")
  func same() {
    guard let cpu = Placement.detect().loop else { return }
    let result = FakeProgram().run("tiny", "--dry-run", "--placement", "same")
    #expect(result.output.contains("loop on CPU \(cpu), producer on CPU \(cpu)\n"))
  }
}
