import LoopbenchKit
import Testing

@Suite("RoundCount")
struct RoundCountTests {
  @Test("a fixed count does not depend on the elapsed time")
  func fixed() {
    #expect(RoundCount.fixed(3).continues(after: 2, elapsedNs: .max / 2, roundNs: 1))
    #expect(!RoundCount.fixed(3).continues(after: 3, elapsedNs: 0, roundNs: 1))
  }

  @Test("rounds fill the given time, and exceed it up to twice to reach ten rounds")
  func fitting() {
    let count = RoundCount.fitting(nanoseconds: 1000)
    #expect(count.continues(after: 9, elapsedNs: 1900, roundNs: 100))
    #expect(!count.continues(after: 9, elapsedNs: 1901, roundNs: 100))
    #expect(count.continues(after: 0, elapsedNs: 5000, roundNs: 100))
    #expect(count.continues(after: 10, elapsedNs: 900, roundNs: 100))
    #expect(!count.continues(after: 10, elapsedNs: 901, roundNs: 100))
    #expect(!count.continues(after: 30, elapsedNs: 0, roundNs: 1))
  }

  @Test("a time and a number of rounds both limit a run, which has at least one round")
  func within() {
    let count = RoundCount.within(nanoseconds: 1000, rounds: 5)
    #expect(count.continues(after: 0, elapsedNs: 5000, roundNs: 100))
    #expect(count.continues(after: 4, elapsedNs: 900, roundNs: 100))
    #expect(!count.continues(after: 4, elapsedNs: 901, roundNs: 100))
    #expect(!count.continues(after: 5, elapsedNs: 0, roundNs: 1))
    #expect(count.estimate(roundNs: 250) == 3)
    #expect(count.estimate(roundNs: 100) == 5)
    #expect(count.estimate(roundNs: 5000) == 1)
  }

  @Test("no slice begins that would end after the time is up, but the first round may take 5 s")
  func end() {
    let count = RoundCount.within(nanoseconds: 1000, rounds: 5)
    #expect(!count.isOver(in: 2, elapsedNs: 999))
    #expect(count.isOver(in: 2, elapsedNs: 1000))
    #expect(!count.isOver(in: 1, elapsedNs: 4_999_999_999))
    #expect(count.isOver(in: 1, elapsedNs: 5_000_000_000))
    // A slice that would end later does not begin.
    #expect(!count.isOver(in: 2, elapsedNs: 900, sliceNs: 100))
    #expect(count.isOver(in: 2, elapsedNs: 900, sliceNs: 101))
    #expect(count.isOver(in: 1, elapsedNs: 900, sliceNs: 101, isScheduled: true))
    #expect(!RoundCount.fixed(3).isOver(in: 2, elapsedNs: .max))
    #expect(RoundCount.fitting(nanoseconds: 1000).endNs == 2000)
    let long = RoundCount.within(nanoseconds: 40_000_000_000, rounds: 5)
    #expect(!WarmUp.auto.isOver(elapsedNs: 9_999_999_999, of: long))
    #expect(WarmUp.auto.isOver(elapsedNs: 10_000_000_000, of: long))
    #expect(WarmUp.auto.isOver(elapsedNs: 2_000_000_000, of: count))
    #expect(!WarmUp.rounds(3).isOver(elapsedNs: .max, of: count))
  }

  @Test("the estimate includes the time of the warm-up round")
  func estimate() {
    #expect(RoundCount.fitting(nanoseconds: 1600).estimate(roundNs: 100) == 15)
    #expect(RoundCount.fitting(nanoseconds: 1000).estimate(roundNs: 0) == 30)
    #expect(RoundCount.fitting(nanoseconds: 1000).estimate(roundNs: 150) == 10)
    #expect(RoundCount.fitting(nanoseconds: 1000).estimate(roundNs: 900) == 1)
    #expect(RoundCount.fixed(4).estimate(roundNs: 900) == 4)
  }
}

@Suite("WarmUp")
struct WarmUpTests {
  /// Measures three rounds after `warmUp`. Each sample of round n is `bases[n]` ns.
  private func run(_ warmUp: WarmUp, _ bases: [Double]) throws -> Report {
    var fixture = Fixture()
    fixture.peers = [SettlingPeer(name: "uv", bases: bases), FakePeer(name: "lt", base: 500)]
    fixture.warmUp = warmUp
    fixture.rounds = .fixed(3)
    return try fixture.report()
  }

  @Test("the warm-up continues until three rounds of every contender agree")
  func settles() throws {
    let report = try run(.auto, [9000, 1000, 1040, 1020])
    #expect(report.settings.warmUpRounds == 4)
    #expect(report.settings.warmUp.hasPrefix("4 rounds until medians settled"))
    #expect(report.rounds.map(\.round) == [1, 2, 3])
    #expect(report.results[0].max < 9000)
  }

  @Test("a warm-up has at least three rounds and at most five")
  func limits() throws {
    #expect(try run(.auto, [1000]).settings.warmUpRounds == 3)
    let restless = try run(.auto, [1000, 2000, 1000, 2000, 1000, 1000, 1000])
    #expect(restless.settings.warmUpRounds == 5)
    #expect(restless.settings.warmUp.hasPrefix("5 rounds, and"))
  }

  @Test("a warm-up round that would end after 2 s is not started")
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

  @Test("a warm-up fills its given time, or has its given number of rounds")
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
