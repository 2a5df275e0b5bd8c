import LoopbenchKit
import Synchronization
import TestSupport
import Testing
import LoopbenchCommands

@Suite("Honesty of check")
struct HonestyTests {
  // Slow builds use fewer seeds. The runs do only arithmetic, on one thread.
  private static let seeds = UInt64(0)..<Interposed.amount(20, debug: 4, sanitized: 1)

  /// Runs `check` against a base.
  ///
  /// - Parameters:
  ///   - base: The process that measures the base.
  ///   - first: The process that is checked.
  ///   - fresh: The processes that measure again.
  private func check(
    run: UInt64,
    rules: [String] = ["--fail", "p50>+10%"],
    base: (UInt64) -> Registry = { .noisy(process: $0) },
    first: @Sendable (UInt64) -> Registry,
    fresh: (@Sendable (UInt64) -> Registry)? = nil
  ) throws -> FakeProgram.Outcome {
    let folder = try Folder()
    let file = try folder.file("base.json")
    let measure = ["fake", "--rounds", "10", "-w", "1ns", "--seed", "\(run)"]
    var program = FakeProgram()
    program.context.registry = base(1000 * run)
    #expect(program.run(measure + ["-o", file]).code == .success)
    program.context.registry = first(1000 * run + 1)
    let processes = Processes(after: 1000 * run + 1)
    program.fresh = { [fresh] in (fresh ?? { .noisy(process: $0) })(processes.next()) }
    return program.run(measure + ["--baseline", file] + rules)
  }

  @Test("a peer that is 20 % slower causes exit code 3 in every run", arguments: Self.seeds)
  func slower(run: UInt64) throws {
    let slower: @Sendable (UInt64) -> Registry = { .noisy(slower: 0.2, process: $0) }
    let result = try check(run: run, first: slower, fresh: slower)
    #expect(result.code == .regressed)
    #expect(result.output.contains("verdict: regressed (1 regressed)"))
    #expect(result.output.contains("fake/one/lt p50 again, in fresh processes: "))
  }

  @Test("a peer that is 0 % slower is unchanged, with code 0, in every run", arguments: Self.seeds)
  func same(run: UInt64) throws {
    let result = try check(run: run) { .noisy(process: $0) }
    #expect(result.code == .success)
    #expect(result.output.contains("verdict: unchanged (1 unchanged)"), "\(result.output)")
    #expect(result.error == "")
  }

  @Test(
    "a regression that fresh processes do not confirm is reported, with exit code 0",
    arguments: Self.seeds
  )
  func layout(run: UInt64) throws {
    let result = try check(run: run) { .noisy(slower: 0.3, process: $0) }
    #expect(result.code == .success)
    #expect(result.output.contains("a fresh process did not confirm it"))
    #expect(result.error.contains("fake/one/lt p50: slower; measuring again in a fresh process"))
  }

  @Test(
    "a reference that is slow or fast in one process is not a regression",
    arguments: Self.seeds
  )
  func reference(run: UInt64) throws {
    let rules: [[String]] = [[], ["--fail", "p50>+10%"]]
    for rule in rules {
      let slow = try check(run: run, rules: rule) { .noisy(reference: 0.3, process: $0) }
      #expect(slow.code == .success)
      let slowBase = try check(
        run: run,
        rules: rule,
        base: { .noisy(reference: 0.4, process: $0) },
        first: { .noisy(process: $0) }
      )
      #expect(slowBase.code == .success)
    }
  }
}

/// Returns increasing process numbers.
private final class Processes: Sendable {
  private let last: Atomic<UInt64>

  init(after first: UInt64) { last = Atomic(first) }

  func next() -> UInt64 { last.wrappingAdd(1, ordering: .relaxed).newValue }
}
