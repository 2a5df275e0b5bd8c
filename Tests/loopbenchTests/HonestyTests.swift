import LoopbenchKit
import LoopbenchTestSupport
import Testing
import LoopbenchCommands

@Suite("Honesty of check")
struct HonestyTests {
  /// A program whose peer takes `nanoseconds`, give or take 4 % a round and 20 % a
  /// sample; its twin has noise of its own.
  private func program(_ nanoseconds: Double, seed: UInt64) -> FakeProgram {
    var program = FakeProgram()
    program.context.registry = .noisy(NoisyPeer(name: "uv", base: nanoseconds, seed: seed))
    return program
  }

  private func check(slowedBy part: Double, run: UInt64) throws -> ExitCode {
    let folder = try Folder()
    let base = try folder.file("base.json")
    let measure = ["fake", "--rounds", "10", "-w", "1ns"]
    let first = program(10_000, seed: 2 * run).run(measure + ["-o", base])
    #expect(first.code == .success)
    let rule = ["--baseline", base, "--fail", "p50>+10%"]
    return program(10_000 * (1 + part), seed: 2 * run + 1).run(measure + rule).code
  }

  @Test("what is 20 % slower is exit 3 in 20 of 20 runs", arguments: UInt64(0)..<20)
  func slower(run: UInt64) throws {
    #expect(try check(slowedBy: 0.2, run: run) == .regressed)
  }

  @Test("what is 0 % slower is exit 0 in 20 of 20 runs", arguments: UInt64(0)..<20)
  func same(run: UInt64) throws {
    #expect(try check(slowedBy: 0, run: run) == .success)
  }
}
