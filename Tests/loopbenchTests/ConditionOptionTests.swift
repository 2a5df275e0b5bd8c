import LoopbenchKit
import Testing
import LoopbenchCommands

@Suite("Conditions on the command line")
struct ConditionOptionTests {
  private func parse(_ arguments: String...) throws -> Options {
    try OptionParser.parse(arguments, scenarios: ["wake"])
  }

  @Test("policy, slack and load set the conditions of a run")
  func conditions() throws {
    #expect(try parse().conditions == .standard)
    let options = try parse("--policy", "fifo:7", "--slack", "50us", "--load", "mem:2")
    #expect(options.conditions == RunConditions(priority: 7, slackNs: 50_000, load: "mem:2"))
    #expect(try parse("--policy", "fifo:7", "--policy", "other").conditions == .standard)
  }

  @Test("the report, its file and the plan all contain the conditions")
  func shown() throws {
    let folder = try Folder()
    let path = try folder.file("x.json")
    let result = FakeProgram().run("tiny", "--rounds", "10", "--load", "cpu:1", "-o", path)
    #expect(result.code == .success, "\(result.error)")
    #expect(result.output.contains("\nload cpu:1\n"))
    #expect(try ReportFile.read(path).settings.conditions?.load == "cpu:1")
    let plan = FakeProgram().run("tiny", "--dry-run", "--load", "cpu:1", "--slack", "2us")
    #expect(plan.output.contains("\ntimer slack 2.00us · load cpu:1\n"))
  }

  @Test("a refused policy causes exit code 7, and the error names the command that permits it")
  func refused() {
    let result = FakeProgram().run("tiny", "--rounds", "10", "--policy", "fifo:1")
    guard result.code != .success else {
      #expect(SystemError.refusing(priority: 1) == nil)
      return
    }
    #expect(result.code == .unfit)
    #expect(result.error.contains("fifo:1 was refused: operation not permitted"))
    #expect(result.error.contains("sudo setcap cap_sys_nice=ep "))
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
