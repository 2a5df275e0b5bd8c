import LoopbenchKit
import LoopbenchTestSupport
import TestSupport
import Testing

@Suite("Honesty")
struct HonestyTests {
  // Slow builds use fewer seeds. The runs do only arithmetic, on one thread.
  private static let seeds = UInt64(0)..<Interposed.amount(20, debug: 4, sanitized: 1)

  /// The report of a run of two peers and a twin. The runner is the real one.
  private func report(lt: Double, seed: UInt64) throws -> Report {
    var fixture = Fixture()
    fixture.scenario = Scenario(
      name: "fake",
      summary: "made up",
      series: [
        Series(
          name: "one",
          summary: "made up",
          workload: Workload(warmUps: 0, samples: 100, operations: 1)
        )
      ]
    )
    fixture.peers = [
      NoisyPeer(name: "uv", base: 20_000, seed: seed),
      NoisyPeer(name: "lt", base: lt, seed: seed),
    ]
    fixture.control = .compared
    fixture.seed = seed
    return try fixture.report()
  }

  private func verdict(slowedBy part: Double, run: UInt64) throws -> Verdict {
    try ReportComparison(
      base: try report(lt: 10_000, seed: 2 * run + 1),
      new: try report(lt: 10_000 * (1 + part), seed: 2 * run + 2),
      rules: [try FailRule("p50>+10%")]
    ).verdict
  }

  @Test("a peer slowed by 20 % is a regression in every run", arguments: Self.seeds)
  func slowed(run: UInt64) throws {
    #expect(try verdict(slowedBy: 0.2, run: run) == .regressed)
  }

  @Test("a peer slowed by 0 % is unchanged in every run", arguments: Self.seeds)
  func unchanged(run: UInt64) throws {
    #expect(try verdict(slowedBy: 0, run: run) == .unchanged)
  }

  @Test("two runs with the same seed measure in the same order, including twins")
  func order() throws {
    let orders = try (0..<2).map { _ in try report(lt: 10_000, seed: 3).rounds.map(\.order) }
    #expect(orders[0] == orders[1])
    #expect(Set(orders[0]).count > 1)
    #expect(Set(orders[0][0]) == ["fake/one/uv", "fake/one/lt", "fake/one/uv.again"])
    #expect(try report(lt: 10_000, seed: 4).rounds.map(\.order) != orders[0])
  }

  @Test("a peer that is twice as fast is faster, and a twin is the same as its original")
  func withinOneRun() throws {
    let report = try report(lt: 10_000, seed: 5)
    let medians = report.comparisons.filter { $0.percentile == "50" }
    #expect(medians.map(\.peer) == ["lt", "uv.again"])
    #expect(medians.map(\.verdict) == [.faster, .same])
    #expect(medians[0].interval.low < 0.5 && medians[0].interval.high > 0.5)
    #expect(report.noise.map(\.percentile) == ["50", "90", "99", "max"])
    #expect(report.noise[0].interval == medians[1].interval)
  }

  @Test("a stall of 50 ms raises the p99.9 of intended times, but not the p99.9 of service times")
  func stall() throws {
    let paced = Series(
      name: "paced",
      summary: "from when it was due",
      workload: Workload(warmUps: 0, samples: 2000, operations: 1),
      kind: .intended
    )
    var fixture = Fixture()
    fixture.scenario = Scenario(
      name: "fake",
      summary: "one loop",
      series: [
        paced,
        Series(name: "paced.service", summary: "", recordedWith: paced, kind: .service),
        Series(name: "paced.lag", summary: "", recordedWith: paced, kind: .lag),
      ]
    )
    fixture.peers = [StallingPeer(stallAt: 700)]
    let report = try fixture.report()
    let results = Dictionary(uniqueKeysWithValues: report.results.map { ($0.series, $0) })
    let (wanted, service) = (try #require(results["paced"]), try #require(results["paced.service"]))
    #expect(try #require(wanted.value(at: .p999)) > 40_000_000)
    #expect(try #require(service.value(at: .p999)) < 11_000)
    #expect(service.max >= 50_000_000)
    #expect(try #require(wanted.value(at: .p50)) < 11_000)
    // The generator does not wait for operations, so it started all of them in
    // time.
    #expect(wanted.missed == 0)
    #expect(results["paced.lag"]?.max == 0)
    #expect(wanted.kind == .intended && service.kind == .service)
  }
}

/// Simulates a loop that takes 10 us for each operation, except one that takes 50
/// ms. An operation is due every ms, even during the stall. No real time passes.
private struct StallingPeer: Peer {
  let name = "uv"
  let scenario = "fake"
  let series = ["paced"]
  let summary = "arithmetic"
  let stallAt: Int

  func measure(_ slice: inout Slice) {
    let schedule = OpenLoopSchedule(
      count: slice.workload.samples,
      pace: slice.pace,
      generator: &slice.generator
    )
    var ended: [UInt64] = []
    let started = schedule.follow(from: 1_000_000, clock: FakePacing().clock) { index in
      let began = max(1_000_000 + schedule.dues[index], ended.last ?? 0)
      ended.append(began + (index == stallAt ? 50_000_000 : 10_000))
    }
    slice.record(schedule, from: 1_000_000, started: started, ended: ended)
  }
}
