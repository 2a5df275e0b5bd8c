import LoopbenchKit
import Testing

@Suite("WarmUp")
struct WarmUpTests {
  /// A run of three recorded rounds after a warm-up by `warmUp`, in which round n
  /// takes `bases[n]` ns.
  private func run(_ warmUp: WarmUp, _ bases: [Double]) throws -> Report {
    var fixture = Fixture()
    fixture.peers = [SettlingPeer(name: "uv", bases: bases), FakePeer(name: "lt", base: 500)]
    fixture.warmUp = warmUp
    fixture.rounds = .fixed(3)
    return try fixture.report()
  }

  @Test("it goes on until three rounds of every contender agree")
  func settles() throws {
    let report = try run(.auto, [9000, 1000, 1040, 1020])
    #expect(report.settings.warmUpRounds == 4)
    #expect(report.settings.warmUp.hasPrefix("4 rounds until medians settled"))
    #expect(report.rounds.map(\.round) == [1, 2, 3])
    #expect(report.results[0].max < 9000)
  }

  @Test("three rounds that agree at once are enough, and 5 are the most")
  func limits() throws {
    #expect(try run(.auto, [1000]).settings.warmUpRounds == 3)
    let restless = try run(.auto, [1000, 2000, 1000, 2000, 1000, 1000, 1000])
    #expect(restless.settings.warmUpRounds == 5)
    #expect(restless.settings.warmUp.hasPrefix("5 rounds, and"))
  }

  @Test("no further round is begun that would end past 2 s")
  func time() {
    var state = WarmUpState()
    #expect(WarmUp.auto.continues(after: state, elapsedNs: 0, roundNs: 0))
    state.add(RoundOutcome(round: 0, slices: [], wallNs: 1))
    #expect(
      WarmUp.auto.continues(after: state, elapsedNs: 1_000_000_000, roundNs: 1_000_000_000)
    )
    #expect(
      !WarmUp.auto.continues(after: state, elapsedNs: 1_000_000_001, roundNs: 1_000_000_000)
    )
  }

  @Test("a stated time is filled, a stated number of rounds kept")
  func stated() {
    var state = WarmUpState()
    #expect(WarmUp.rounds(0).continues(after: state, elapsedNs: 0, roundNs: 0))
    state.add(RoundOutcome(round: 0, slices: [], wallNs: 1))
    #expect(!WarmUp.rounds(1).continues(after: state, elapsedNs: 0, roundNs: 0))
    #expect(WarmUp.rounds(2).continues(after: state, elapsedNs: 0, roundNs: 0))
    #expect(WarmUp.duration(nanoseconds: 10).continues(after: state, elapsedNs: 9, roundNs: 5))
    #expect(!WarmUp.duration(nanoseconds: 10).continues(after: state, elapsedNs: 10, roundNs: 0))
  }
}
