import LoopbenchKit
import Testing

@Suite("ReplayPlayer", .serialized)
struct ReplayPlayerTests {
  /// 20 simultaneous commits from three producers. They commit two actions, each of
  /// which takes 200 us.
  private static let burst = (0..<20).map { "1000 \($0 % 3) target\($0 % 2) draw 200\n" }

  private func outcomes() throws -> [String: SliceOutcome] {
    let replay = try Replay.parse("loopreplay 1\n" + Self.burst.joined())
    let selection = try Selection(
      from: .replay(replay),
      placement: .detect(),
      control: .never
    )
    let outcomes = try selection.contenders.map {
      ($0.peerName, try $0.measure(round: 1, seed: 1, instruments: .system))
    }
    return Dictionary(uniqueKeysWithValues: outcomes)
  }

  @Test("every peer performs every commit, and only lt coalesces commits")
  func coalesces() throws {
    let outcomes = try outcomes()
    #expect(Set(outcomes.keys) == ["lt", "uv", "dispatch"])
    for (name, outcome) in outcomes {
      let committed = try #require(outcome.counts["committed"])
      // On a busy machine a producer may be more than 1 ms late.
      #expect(committed == 20 || committed < 20 && outcome.missed > 0)
      #expect(outcome.recorded["performed"]?.count == committed)
      #expect(outcome.recorded["performed.service"]?.count == committed)
      #expect(outcome.recorded["performed.lag"]?.count == committed)
      let performed = try #require(outcome.counts["performed"])
      // While one action runs, commits of the other action coalesce.
      if name == "lt" {
        #expect(performed < 20)
        #expect((min(2, committed)...committed).contains(performed))
      } else {
        #expect(performed == committed)
      }
      #expect(outcome.counts["ticks"] == outcome.recorded["tick"]?.count)
    }
  }

  @Test("intended time includes the wait for other actions, and service time does not")
  func waits() throws {
    let uv = try #require(try outcomes()["uv"])
    let count = try #require(uv.recorded["performed"]?.count)
    // All actions are due at the same time and take 200 us, so the last of 20 actions
    // ends 4 ms later. If a late producer has committed fewer actions, the last one
    // ends earlier.
    #expect((uv.recorded["performed"]?.dense.max ?? 0) >= 195_000 * Double(count))
    #expect((uv.recorded["performed"]?.dense.min ?? 0) >= 200_000)
    let service = try #require(uv.recorded["performed.service"]?.dense)
    let intended = try #require(uv.recorded["performed"]?.dense)
    #expect(service.value(at: .p50) < intended.value(at: .p50))
  }
}
