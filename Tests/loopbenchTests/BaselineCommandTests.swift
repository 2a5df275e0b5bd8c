import Foundation
import LoopbenchKit
import TestSupport
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

  /// Returns the path of the result of a run in which `uv` took `nanoseconds`.
  private func measured(_ nanoseconds: UInt64, _ name: String) throws -> String {
    let file = try folder.file(name)
    let result = program(nanoseconds: nanoseconds).run("tiny", "--rounds", "10", "-o", file)
    #expect(result.code == .success)
    return file
  }

  @Test("a baseline can be saved, listed, shown and removed by name")
  func names() throws {
    let file = try measured(100, "a.json")
    #expect(program.run("baseline", "list").output == "")
    #expect(program.run("baseline", "save", "main", file).code == .success)
    #expect(program.run("baseline", "list").output == "main\n")
    #expect(program.run("baseline", "show", "main").output.contains("tiny"))
    #expect(program.run("baseline", "rm", "main").code == .success)
    #expect(program.run("baseline", "show", "main").code == .notComparable)
  }

  @Test("saving a baseline replaces a symlink or FIFO instead of writing through it")
  func savesInPlace() async throws {
    let file = try measured(100, "a.json")
    let victim = try folder.file("victim", "precious")
    let store = folder.path + "/kept"
    #expect(mkdir(store, 0o700) == 0)
    #expect(symlink(victim, store + "/linked.json") == 0)
    #expect(mkfifo(store + "/fifo.json", 0o600) == 0)
    for name in ["linked", "fifo"] {
      #expect(program.run("baseline", "save", name, file).code == .success)
      #expect(program.run("baseline", "show", name).output.contains("tiny"))
    }
    #expect(try folder.text("victim") == "precious")
  }

  @Test("a baseline that is a FIFO is refused without blocking")
  func fifo() async {
    await #expect(processExitsWith: .success) {
      // Kills the process if reading blocks.
      TestSupport.Process.endInTime()
      let folder = try Folder()
      #expect(chdir(folder.path) == 0 && mkdir("kept", 0o700) == 0)
      #expect(mkfifo("kept/main.json", 0o600) == 0 && mkfifo("here", 0o600) == 0)
      var program = FakeProgram()
      program.context.baselines = "kept"
      for name in ["main", "here"] {
        #expect(program.run("check", "tiny", "--baseline", name).code == .notComparable)
      }
      #expect(program.run("baseline", "show", "main").code == .notComparable)
    }
  }

  @Test("check exits with 0 if nothing regressed, and with 3 if a peer regressed")
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

  @Test("compare finds regressions without measuring")
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

  @Test("compare leaves out columns that do not fit, and wraps its notes", arguments: [40, 60, 80])
  func narrow(width: Int) throws {
    let (fast, slow) = (try measured(100, "a.json"), try measured(120, "b.json"))
    var program = program
    program.context.environment["COLUMNS"] = "\(width)"
    let lines = program.run("compare", fast, slow).output.split(separator: "\n")
    #expect(lines.allSatisfy { $0.count <= width }, "\(lines)")
    #expect(lines[0].hasSuffix("verdict") && lines[1].hasPrefix("  tiny/one/uv p50"), "\(lines)")
  }

  @Test("a confirming run measures the slower series with the same options")
  func again() throws {
    let file = try measured(100, "a.json")
    var slow = program(nanoseconds: 120)
    slow.fresh = { .made(uv: FixedPeer(name: "uv", scenario: "tiny", fails: true)) }
    let broken = slow.run("check", "tiny", "--rounds", "10", "--baseline", file)
    #expect(broken.code == .failed)
    #expect(broken.error.contains("measuring again in a fresh process failed with exit 1"))
    slow.fresh = nil
    let options = ["--baseline", file, "--rounds", "10", "-n", "40", "-p", "uv"]
    let set = slow.run(["check", "tiny"] + options)
    #expect(set.code == .regressed)
    let times = Array(repeating: "120ns", count: ReportComparison.confirmations)
    #expect(set.output.contains("again, in fresh processes: " + times.joined(separator: ", ")))
  }

  @Test("a missing or truncated baseline causes exit code 5")
  func missing() throws {
    let missing = program.run("check", "tiny", "--baseline", "main")
    #expect(missing.code == .notComparable)
    #expect(missing.error.contains("there is no baseline \"main\""))
    let file = try measured(100, "a.json")
    let half = String(try folder.text("a.json").prefix(500))
    let damaged = program.run("check", "tiny", "--baseline", try folder.file("half.json", half))
    #expect(damaged.code == .notComparable)
    #expect(damaged.error.contains("not a complete loopbench report"))
    let other = try measured(100, "b.json")
    #expect(program.run("compare", file, other).code == .success)
  }

  @Test("an invalid rule causes exit code 2 before measuring")
  func rules() throws {
    let file = try measured(100, "a.json")
    let result = program.run("check", "tiny", "--baseline", file, "--fail", "p99>fast")
    #expect(result.code == .usage)
    #expect(result.output == "")
    #expect(program.run("check", "tiny").code == .usage)
    #expect(program.run("tiny", "--fail", "p99>+10%").code == .usage)
    #expect(program.run("check", "tiny", "--fail", "p99>+10%").code == .usage)
  }

  @Test("a rule that limits a time needs no baseline")
  func times() {
    let check = ["check", "tiny", "--rounds", "10", "--fail"]
    let slow = program(nanoseconds: 120).run(check + ["p50>110ns"])
    #expect(slow.code == .regressed)
    #expect(slow.output.contains("tiny/one/uv p50  120ns  p50>110ns  regressed"))
    #expect(program(nanoseconds: 100).run(check + ["p50>110ns"]).code == .success)
    #expect(program.run(check + ["tiny/two.p50>1us"]).code == .notComparable)
  }

  @Test("an incomparable baseline causes exit code 5 before measuring")
  func early() throws {
    let file = try measured(100, "a.json")
    let wrong: [(arguments: [String], reason: String)] = [
      (
        ["-n", "400"], "the number of samples per round of tiny/one/uv is 4 in the base and 40 now"
      ),
      (["--fail", "other.p50>+1%"], "the rule other.p50>+1% covers nothing"),
      (["--fail", "tiny.one.p50>+1%"], "did you mean \"tiny/one.p50>+1%\"?"),
    ]
    for (arguments, reason) in wrong {
      let result = program.run(["check", "tiny", "--baseline", file] + arguments)
      #expect(result.code == .notComparable)
      #expect(result.output == "")
      #expect(result.error.contains(reason), "\(result.error)")
    }
    let other = program.run("check", "other", "--baseline", file)
    #expect(other.code == .notComparable && other.output == "")
  }

  @Test("references are judged only by rules that name them")
  func references() throws {
    let file = try folder.file("a.json")
    var reference = program
    func registry(_ nanoseconds: UInt64) -> Registry {
      .made(
        uv: FixedPeer(name: "uv", scenario: "tiny", nanoseconds: nanoseconds, isReference: true)
      )
    }
    reference.context.registry = registry(100)
    #expect(reference.run("--rounds", "10", "-o", file).code == .success)
    reference.context.registry = registry(200)
    let check = ["check", "--rounds", "10", "--baseline", file]
    let standard = reference.run(check)
    #expect(standard.code == .success)
    #expect(!standard.output.contains("tiny/one/uv p50"))
    #expect(reference.run(check + ["--fail", "any>+10%"]).code == .success)
    #expect(reference.run(check + ["--fail", "*/*/uv.p50>+10%"]).code == .regressed)
    let only = reference.run(["check", "tiny", "--rounds", "10", "--baseline", file])
    #expect(only.code == .notComparable && only.output == "")
    #expect(only.error.contains("--fail '*/*/uv.p50>+10%'"))
  }

  @Test("comparing several files prints a title for each, and one array as JSON")
  func several() throws {
    let (one, two) = (try measured(100, "a.json"), try measured(120, "b.json"))
    let text = program.run("compare", one, one, two).output
    #expect(text.contains(one + ":\n") && text.contains("\n" + two + ":\n"))
    let json = program.run("compare", one, one, two, "-f", "json").output
    let read = try JSONDecoder().decode([ReportComparison].self, from: Data(json.utf8))
    #expect(read.map(\.verdict) == [.unchanged, .regressed])
    let markdown = program.run("compare", one, one, two, "-f", "markdown").output
    #expect(markdown.hasPrefix("### `\(one)`\n"))
  }
}
