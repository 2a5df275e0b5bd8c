import LoopbenchKit
import Testing

@Suite("Verdict")
struct VerdictTests {
  private static let quiet = Interval(low: 0.99, high: 1.01)
  private static let noisy = Interval(low: 0.97, high: 1.3)

  @Test(
    "only a whole interval past the threshold and past noise is a change",
    arguments: [
      (1.11, 1.2, quiet, Verdict.regressed), (1.1, 1.2, quiet, .inconclusive),
      (1.11, 1.2, noisy, .inconclusive), (1.31, 1.4, noisy, .regressed),
      (0.8, 0.9, quiet, .improved), (0.8, 0.92, quiet, .inconclusive),
      (0.7, 0.75, noisy, .improved), (0.75, 0.8, noisy, .inconclusive),
      (0.95, 1.05, quiet, .unchanged), (0.95, 1.05, noisy, .unchanged),
      (0.5, 2, quiet, .inconclusive),
    ]
  )
  func ratios(low: Double, high: Double, floor: Interval, expected: Verdict) {
    let interval = Interval(low: low, high: high)
    #expect(Verdict(interval, threshold: 0.1, floor: floor) == expected)
  }

  @Test("a time is too much when its whole interval is")
  func times() {
    #expect(Verdict(Interval(low: 26, high: 30), limit: 25) == .regressed)
    #expect(Verdict(Interval(low: 25, high: 30), limit: 25) == .inconclusive)
    #expect(Verdict(Interval(low: 20, high: 25), limit: 25) == .unchanged)
  }

  @Test("the worst of several verdicts is the verdict")
  func worst() {
    #expect(Verdict(of: []) == .unchanged)
    #expect(Verdict(of: [.unchanged, .improved]) == .improved)
    #expect(Verdict(of: [.inconclusive, .improved]) == .inconclusive)
    #expect(Verdict(of: Verdict.allCases) == .regressed)
  }

  @Test("a peer is faster or slower only past what its own twin differs by")
  func peers() {
    func verdict(_ low: Double, _ high: Double, rounds: Int = 10, _ noise: Interval? = Self.quiet)
      -> ComparisonVerdict
    { ComparisonVerdict(Interval(low: low, high: high), rounds: rounds, noise: noise) }
    #expect(verdict(0.8, 0.98) == .faster)
    #expect(verdict(1.02, 1.2) == .slower)
    #expect(verdict(0.8, 0.995) == .inconclusive)
    #expect(verdict(0.96, 1.04) == .same)
    #expect(verdict(1.02, 1.2, Self.noisy) == .same)
    #expect(verdict(0.5, 0.6, rounds: 5) == .inconclusive)
    #expect(verdict(0.5, 0.6, nil) == .inconclusive)
  }
}
