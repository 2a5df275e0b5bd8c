import LoopbenchKit
import TestSupport
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
      // On a busy machine a producer may be too late to commit anything.
      #expect(committed == 20 || committed < 20 && outcome.missed > 0)
      for series in ["performed", "performed.service", "performed.lag"] {
        #expect(outcome.recorded[series]?.count ?? 0 == committed, "\(series)")
      }
      let performed = try #require(outcome.counts["performed"])
      // While one action runs, commits of the other action coalesce.
      if name == "lt" {
        #expect(performed < 20)
        #expect((min(2, committed)...committed).contains(performed))
      } else {
        #expect(performed == committed)
      }
      #expect(outcome.counts["ticks"] == outcome.recorded["tick"]?.count ?? 0)
    }
  }

  @Test("a load begins after every producer has arrived")
  func start() throws {
    let line = StartingLine(count: 2)
    let arrived = TestSupport.Tally()
    line.arrive()
    let thread = try PlacedThread(cpu: nil) {
      arrived.increment()
      line.arrive()
    }
    let origin = line.wait()
    let seen = arrived.value
    thread.join()
    #expect(seen == 1 && line.wait() == origin)
  }

  @Test("intended time includes the wait for other actions, and service time does not")
  func waits() throws {
    let uv = try #require(try outcomes()["uv"])
    let count = try #require(uv.recorded["performed"]?.count)
    // With fewer commits than two, nothing waits for another action.
    guard count > 1 else { return #expect(uv.missed >= 19) }
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
