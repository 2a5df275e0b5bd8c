import FrameBench
import Synchronization
import Testing

@testable import LoopbenchKit

/// A variant whose turns take as long as their frames, on the clock of the run. The first
/// turn of all variants also takes the preparation.
private struct PlannedPeer: Peer {
  let name: String
  let scenario: String
  let series: [String]
  let summary = "planned"
  let clock: PlannedClock

  func measure(_ slice: inout Slice) {
    clock.turn(frames: slice.workload.warmUps + slice.workload.samples)
    slice.record(nanoseconds: 1)
  }
}

/// A clock that only turns advance.
private final class PlannedClock: Sendable {
  let preparation: UInt64
  private let time = Atomic<UInt64>(0)
  private let turns = Atomic<Int>(0)

  init(preparation: UInt64) { self.preparation = preparation }

  var now: UInt64 { time.load(ordering: .relaxed) }

  func turn(frames: Int) {
    let isFirst = turns.add(1, ordering: .relaxed).oldValue == 0
    let frames = UInt64(frames) * 1_000_000_000 / 60
    time.add(frames + (isFirst ? preparation : 0), ordering: .relaxed)
  }
}

@Suite("Plan of loopbench-frames")
struct FramesPlanTests {
  /// A finished run: its duration in seconds, and the number of turns in each round.
  private struct Planned {
    let seconds: Double
    let rounds: [Int]
    let peers: Set<String>
  }

  /// Runs the scenario with turns that take no time.
  private func run(_ rounds: RoundCount, series: [String] = []) throws -> Planned {
    let real = FramesScenario.registry
    let scenario = try #require(real.scenarios.first)
    let clock = PlannedClock(preparation: scenario.preparationNs)
    let peers = real.peers.filter(\.isStandard).map { peer in
      PlannedPeer(name: peer.name, scenario: scenario.name, series: peer.series, clock: clock)
    }
    var instruments = Instruments()
    instruments.now = { clock.now }
    let runner = Runner(
      contenders: try Selection(
        from: Registry(scenarios: [scenario], peers: peers),
        series: series,
        placement: Placement(cpuCount: 2, loop: nil, producer: nil)
      ).contenders,
      seed: 7,
      rounds: rounds,
      instruments: instruments
    )
    let measurements = try runner.run()
    return Planned(
      seconds: Double(clock.now) / 1e9,
      rounds: measurements.rounds.map(\.order.count),
      peers: Set(measurements.rounds.flatMap(\.order))
    )
  }

  private func limit(_ seconds: UInt64) -> RoundCount {
    .within(nanoseconds: seconds * 1_000_000_000, rounds: RoundCount.most)
  }

  @Test(
    "-d SECONDS measures S0, A4 and S0 again, ends in time, and leaves no time for another turn",
    arguments: [8, 12, 20, 30, 60] as [UInt64]
  )
  func duration(_ seconds: UInt64) throws {
    let planned = try run(limit(seconds))
    #expect(planned.seconds <= Double(seconds) && planned.rounds.first == 3, "\(planned)")
    #expect(planned.peers.map { $0.split(separator: "/").last ?? "" }.sorted() == Self.peers)
    // A round of three turns takes 4 s.
    #expect(planned.seconds + 4 > Double(seconds), "\(planned)")
  }

  private static let peers: [Substring] = ["A4", "S0", "S0.again"]

  @Test("the default run has the rounds that a verdict needs, and ends within 40 s")
  func standard() throws {
    let planned = try run(.standard)
    #expect(planned.seconds <= 40 && planned.rounds.allSatisfy { $0 == 3 }, "\(planned)")
    #expect(planned.rounds.count >= Bootstrap.leastRounds, "\(planned)")
  }

  @Test("a run of another series ends in time, too")
  func series() throws {
    let planned = try run(limit(20), series: ["turning"])
    #expect(planned.seconds <= 20 && planned.rounds.first == 3, "\(planned)")
  }
}
