import LoopbenchKit
import Synchronization
import Testing

@Suite("NoiseFilter")
struct NoiseFilterTests {
  /// Makes instruments whose readings each add `usual` involuntary switches.
  /// Reading number `disturbed` and all later readings also include `burst`.
  private func instruments(
    at disturbed: UInt64,
    burst: ResourceUse,
    usual: UInt64 = 0
  ) -> Instruments {
    let readings = Readings()
    var instruments = Instruments.stepping()
    instruments.usage = {
      let count = readings.next()
      let factor: UInt64 = count >= disturbed ? 1 : 0
      return ResourceUse(
        cpuNs: 0,
        voluntarySwitches: 0,
        involuntarySwitches: count * usual + factor * burst.involuntarySwitches,
        stealNs: factor * burst.stealNs,
        migrations: factor * burst.migrations
      )
    }
    return instruments
  }

  private final class Readings: Sendable {
    private let count = Atomic<UInt64>(0)

    func next() -> UInt64 { count.wrappingAdd(1, ordering: .relaxed).newValue }
  }

  /// Measures 10 rounds. Round 3 is slow. It contains reading 8, because each slice
  /// takes two readings, and the first two readings belong to the warm-up.
  private func report(
    _ burst: ResourceUse,
    usual: UInt64 = 0
  ) throws -> Report {
    var fixture = Fixture()
    let bases: [Double] = [1000, 1000, 1000, 9000, 1000]
    fixture.peers = [SettlingPeer(name: "uv", bases: bases)]
    fixture.instruments = instruments(at: 8, burst: burst, usual: usual)
    return try fixture.report()
  }

  private static func use(switches: UInt64 = 0, steal: UInt64 = 0, moves: UInt64 = 0) -> ResourceUse
  {
    ResourceUse(
      cpuNs: 0,
      voluntarySwitches: 0,
      involuntarySwitches: switches,
      stealNs: steal,
      migrations: moves
    )
  }

  @Test(
    "a round with far more switches, steal or migrations than usual is marked and causes a warning",
    arguments: [use(switches: 21), use(steal: 20_000_000), use(moves: 11)]
  )
  func marks(burst: ResourceUse) throws {
    let report = try report(burst)
    #expect(report.rounds.filter(\.isDisturbed).map(\.round) == [3])
    #expect(report.rounds[2].disturbed == ["fake/one/uv"])
    #expect(report.results[0].perRound.map(\.isDisturbed) == (1...10).map { $0 == 3 })
    #expect(report.warnings.map(\.id) == ["disturbed"])
    #expect(report.warnings[0].text.hasPrefix("1 of 10 rounds had disturbed slices (1 in all)"))
  }

  @Test(
    "a few switches, one tick of steal or a few migrations do not mark a round",
    arguments: [use(switches: 20), use(steal: 10_000_000), use(moves: 10)]
  )
  func floors(burst: ResourceUse) throws {
    let report = try report(burst)
    #expect(!report.rounds.contains { $0.isDisturbed })
    #expect(report.warnings.isEmpty)
  }

  @Test("the limit of a contender with many switches in every round is 3 times the median")
  func usual() throws {
    #expect(try report(Self.use(switches: 200), usual: 100).warnings == [])
    #expect(try report(Self.use(switches: 201), usual: 100).warnings.map(\.id) == ["disturbed"])
  }
}
