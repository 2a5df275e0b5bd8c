import LoopbenchKit
import Testing
import LoopbenchCommands

@Suite("Baselines")
struct BaselineCommandTests {
  private let folder: Folder
  private var program = FakeProgram()

  init() throws {
    folder = try Folder()
    program.context.baselines = folder.path + "/kept"
  }

  private func program(nanoseconds: UInt64) -> FakeProgram {
    var slow = program
    slow.context.registry = .made(
      uv: FixedPeer(name: "uv", scenario: "tiny", nanoseconds: nanoseconds)
    )
    return slow
  }

  /// The file of a run in which `uv` took so long.
  private func measured(_ nanoseconds: UInt64, _ name: String) throws -> String {
    let file = try folder.file(name)
    let result = program(nanoseconds: nanoseconds).run("tiny", "--rounds", "10", "-o", file)
    #expect(result.code == .success)
    return file
  }

  @Test("a baseline is saved, listed, shown and removed by name")
  func names() throws {
    let file = try measured(100, "a.json")
    #expect(program.run("baseline", "list").output == "")
    #expect(program.run("baseline", "save", "main", file).code == .success)
    #expect(program.run("baseline", "list").output == "main\n")
    #expect(program.run("baseline", "show", "main").output.contains("tiny"))
    #expect(program.run("baseline", "rm", "main").code == .success)
    #expect(program.run("baseline", "show", "main").code == .notComparable)
  }

  @Test("check is exit 0 for the same and for better, exit 3 for what got slower")
  func check() throws {
    let file = try measured(100, "a.json")
    #expect(program.run("baseline", "save", "main", file).code == .success)
    let check = ["check", "tiny", "--rounds", "10", "--baseline", "main"]
    #expect(program(nanoseconds: 100).run(check).code == .success)
    #expect(program(nanoseconds: 50).run(check).code == .success)
    let slower = program(nanoseconds: 120).run(check)
    #expect(slower.code == .regressed)
    #expect(slower.output.contains("regressed"))
    #expect(program(nanoseconds: 120).run(check + ["--fail", "p50>+30%"]).code == .success)
    #expect(program(nanoseconds: 120).run(check + ["--fail", "p50>110ns"]).code == .regressed)
  }

  @Test("compare tells two files apart without measuring")
  func compare() throws {
    let (fast, slow) = (try measured(100, "a.json"), try measured(120, "b.json"))
    #expect(program.run("compare", fast, slow).code == .regressed)
    #expect(program.run("compare", slow, fast).code == .success)
    #expect(program.run("compare", fast, fast).code == .success)
    for format in ["markdown", "json"] {
      let output = program.run("compare", fast, slow, "-f", format).output
      #expect(output.contains("regressed"), "\(format): \(output)")
    }
  }

  @Test("a missing baseline, and a truncated one, are exit 5 with what to do")
  func missing() throws {
    let missing = program.run("check", "tiny", "--baseline", "main")
    #expect(missing.code == .notComparable)
    #expect(missing.error.contains("there is no baseline \"main\""))
    let file = try measured(100, "a.json")
    let half = String(try folder.text("a.json").prefix(500))
    let damaged = program.run("check", "tiny", "--baseline", try folder.file("half.json", half))
    #expect(damaged.code == .notComparable)
    #expect(damaged.error.contains("no complete report"))
    let other = try measured(100, "b.json")
    #expect(program.run("compare", file, other).code == .success)
  }

  @Test("a rule that is none is exit 2, before anything is measured")
  func rules() throws {
    let file = try measured(100, "a.json")
    let result = program.run("check", "tiny", "--baseline", file, "--fail", "p99>fast")
    #expect(result.code == .usage)
    #expect(result.output == "")
    #expect(program.run("check", "tiny").code == .usage)
    #expect(program.run("tiny", "--fail", "p99>+10%").code == .usage)
  }
}
