import FoundationEssentials
import LoopTransactionsTesting
import LoopbenchKit
import Synchronization
import Testing

/// A peer that starts no operation in time.
private struct AbsentPeer: Peer {
  let name = "uv"
  let scenario = "fake"
  let series = ["one"]
  let summary = "late"

  func measure(_ slice: inout Slice) { slice.miss(UInt64(slice.workload.samples)) }
}

/// A peer whose turns take 2.7 s on the clock of the run. The first turn of all
/// peers takes `preparation` more.
private struct SlowPeer: Peer {
  let name: String
  let scenario = "fake"
  let series = ["one"]
  let summary = "slow"
  let clock: SlowClock
  let preparation: UInt64

  func measure(_ slice: inout Slice) {
    clock.turn(preparation: preparation)
    slice.record(nanoseconds: 1)
  }
}

/// A clock that only the turns of slow peers advance.
private final class SlowClock: Sendable {
  private let time = Atomic<UInt64>(0)
  private let turns = Atomic<Int>(0)

  var now: UInt64 { time.load(ordering: .relaxed) }
  /// The number of turns so far.
  var count: Int { turns.load(ordering: .relaxed) }

  func turn(preparation: UInt64) {
    let isFirst = turns.add(1, ordering: .relaxed).oldValue == 0
    time.add(2_700_000_000 + (isFirst ? preparation : 0), ordering: .relaxed)
  }
}

extension Scenario {
  /// A scenario whose turns take 2.7 s by their schedule.
  fileprivate static let scheduled = Scenario(
    name: "fake",
    summary: "made up",
    series: [
      Series(
        name: "one",
        summary: "made up",
        workload: Workload(warmUps: 1, samples: 5, operations: 1),
        operationNs: 450_000_000
      )
    ],
    preparationNs: 3_000_000_000
  )
}

@Suite("Runner")
struct RunnerTests {
  @Test("equal seeds produce equal orders, and the orders of rounds differ")
  func order() throws {
    let first = try Fixture().runner()
    let second = try Fixture().runner()
    let orders = (0..<10).map { round in first.order(round: round).map(\.name) }
    #expect(orders == (0..<10).map { round in second.order(round: round).map(\.name) })
    #expect(Set(orders).count > 1)
    #expect(orders.allSatisfy { $0.sorted() == ["fake/one/floor", "fake/one/lt", "fake/one/uv"] })
  }

  @Test("different seeds produce different orders")
  func seeds() throws {
    var other = Fixture()
    other.seed = 8
    let first = try Fixture().runner()
    let second = try other.runner()
    let rounds = 0..<10
    #expect(
      rounds.map { first.order(round: $0).map(\.name) }
        != rounds.map { second.order(round: $0).map(\.name) }
    )
  }

  @Test("a plan has the same results as its run, but without samples")
  func plan() throws {
    let fixture = Fixture()
    let plan = Report(
      try fixture.runner().plan,
      argv: [],
      machine: fixture.machine,
      placement: fixture.placement
    )
    let report = try fixture.report()
    #expect(plan.results.map(\.path) == report.results.map(\.path))
    #expect(plan.results.map(\.samplesPerRound) == [5, 5, 5])
    #expect(plan.results.allSatisfy { $0.count == 0 && $0.percentiles.isEmpty })
  }

  @Test("a twin gets the same load as its original and has its own results")
  func twin() throws {
    var fixture = Fixture()
    fixture.peers = [FakePeer(name: "uv", base: 1000, drifts: true), FakePeer(name: "lt", base: 1)]
    fixture.control = .compared
    let report = try fixture.report()
    #expect(report.results.map(\.peer) == ["uv", "lt", "uv.again"])
    #expect(report.results.map(\.isTwin) == [false, false, true])
    #expect(report.settings.peers == ["uv", "lt"])
    #expect(
      report.results[0].perRound.map(\.percentiles) == report.results[2].perRound.map(\.percentiles)
    )
    #expect(report.noise.allSatisfy { $0.interval == Interval(low: 1, high: 1) })
    #expect(report.noise.allSatisfy { ($0.peer, $0.rounds) == ("uv", 10) })
  }

  @Test("each contender is recorded once per round, and the warm-up round is not recorded")
  func counts() throws {
    let measurements = try Fixture().runner().run()
    #expect(measurements.rounds.map(\.round) == Array(1...10))
    #expect(measurements.rounds.allSatisfy { $0.order.count == 3 })
    for peer in ["uv", "floor", "lt"] {
      let tally = try #require(measurements.tally(scenario: "fake", series: "one", peer: peer))
      #expect(tally.total.count == 50)
      #expect(tally.rounds.map(\.round) == Array(1...10))
    }
  }

  @Test("if every peer fails, the run throws an error that names the peer")
  func failure() {
    var fixture = Fixture()
    fixture.peers = [FakePeer(name: "bad", base: 1, failure: PeerError("out of luck"))]
    #expect(throws: PeerError("fake/one/bad: out of luck")) { try fixture.runner().run() }
  }

  @Test("a peer that misses every operation has a result without samples, in every format")
  func missed() throws {
    var fixture = Fixture()
    fixture.peers = [AbsentPeer(), FakePeer(name: "lt", base: 500)]
    fixture.control = .compared
    let report = try fixture.report()
    #expect(report.results.map(\.peer) == ["uv", "lt", "uv.again"])
    #expect(report.results.map(\.count) == [0, 50, 0])
    #expect(report.results.map(\.missed) == [50, 0, 50])
    for format in ReportFormat.allCases {
      #expect(report.rendered(as: format).contains("uv"), "\(format)")
    }
    #expect(try ReportFile.decode(Data(report.json().utf8), from: "x.json") == report)
    let itself = try ReportComparison(base: report, new: report, rules: [FailRule("missed>0")])
    #expect(itself.findings.map(\.new) == [50, 0])
  }

  // Like loopbench-frames, whose first turn also measures the cost of a card.
  @Test(
    "with -d no turn begins that cannot end in time, and the first round has each peer",
    arguments: [
      // 12 s leave no time for a warm-up, and 24 s none for a second round.
      (limit: 12, preparation: 3, isScheduled: true, turns: 3, seconds: 11.1, rounds: [3]),
      // Nor do 16 s, if the preparation takes longer than expected.
      (16, 8, true, 2, 13.4, [2]),
      (24, 3, true, 5, 16.5, [3]),
      (25, 3, true, 8, 24.6, [3, 3]),
      // The warm-up shows the duration of a turn, so the twin is left out.
      (12, 3, false, 3, 11.1, [2]),
      // A preparation of 30 s leaves no time.
      (12, 30, false, 1, 32.7, []),
    ]
  )
  func duration(
    limit: UInt64,
    preparation: UInt64,
    isScheduled: Bool,
    turns: Int,
    seconds: Double,
    rounds: [Int]
  ) throws {
    let clock = SlowClock()
    var fixture = Fixture()
    if isScheduled { fixture.scenario = .scheduled }
    fixture.peers = ["S0", "A4"].map {
      SlowPeer(name: $0, clock: clock, preparation: preparation * 1_000_000_000)
    }
    fixture.control = .compared
    fixture.warmUp = .auto
    fixture.rounds = .within(nanoseconds: limit * 1_000_000_000, rounds: RoundCount.most)
    fixture.instruments.now = { clock.now }
    let measurements = try fixture.runner().run()
    #expect(clock.count == turns)
    #expect(abs(Double(clock.now) / 1e9 - seconds) < 0.01)
    #expect(measurements.rounds.map(\.order.count) == rounds)
    #expect(measurements.rounds.prefix(1).allSatisfy { $0.order.prefix(2).sorted() == Self.peers })
  }

  private static let peers = ["fake/one/A4", "fake/one/S0"]

  @Test("a schedule is known before the run, including the twin's turn and the preparation")
  func schedule() throws {
    var fixture = Fixture()
    #expect(try fixture.runner().schedule == nil)
    fixture.scenario = .scheduled
    fixture.control = .compared
    let schedule = try #require(try fixture.runner().schedule)
    #expect(schedule.roundNs == 4 * 2_700_000_000 && schedule.preparationNs == 3_000_000_000)
  }

  @Test("progress counts down to the end")
  func progress() throws {
    var seen: [Progress] = []
    _ = try Fixture().runner().run { seen.append($0) }
    #expect(seen.count == 33)
    #expect(seen.prefix(3).allSatisfy { $0.rounds == nil && $0.remainingNs == nil })
    let remaining = seen.dropFirst(3).compactMap(\.remainingNs)
    #expect(remaining.count == 30)
    #expect(remaining == remaining.sorted(by: >))
  }

  @Test("the first batches of a slice are not recorded")
  func warmUp() {
    var slice = Slice(
      series: "one",
      workload: Workload(warmUps: 2, samples: 3, operations: 10),
      seats: Placement.Seats(loop: nil, producer: nil),
      generator: SeededGenerator(seed: 1, stream: 0)
    )
    var calls: UInt64 = 0
    slice.sample { operations in
      calls += 1
      return calls * UInt64(operations)
    }
    #expect(calls == 5)
    #expect(slice.recorded["one"]?.count == 3)
    #expect(slice.recorded["one"]?.min == 3)
    #expect(slice.recorded["one"]?.max == 5)
  }
}
