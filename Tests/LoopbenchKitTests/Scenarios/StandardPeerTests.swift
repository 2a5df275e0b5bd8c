import LoopbenchKit
import TestSupport
import Testing

@Suite("Standard peers", .serialized)
struct StandardPeerTests {
  @Test("every standard peer records the samples of its series and of its companions")
  func samples() async throws {
    let selection = try Selection(from: .standard, placement: .detect())
    for contender in selection.contenders {
      var outcome = try await measure(contender, round: 1)
      // A slow machine may miss all operations of an open loop.
      for round in 2...5 where isMissed(outcome, contender.series) {
        outcome = try await measure(contender, round: round)
      }
      #expect(outcome.earlyFires == 0, "\(contender.name)")
      let missed = notStarted(outcome, contender.series)
      let companions = contender.scenario.series.filter { $0.companionOf == contender.series.name }
      for series in [contender.series] + companions {
        let histogram = outcome.recorded[series.name]?.dense
        let count = (histogram?.count ?? 0) + missed
        #expect(count >= UInt64(contender.series.workload.samples), "\(contender.name)")
        #expect((histogram?.max ?? 0) > 0, "\(contender.name)")
      }
      #expect(outcome.recorded.count == 1 + companions.count, "\(contender.name)")
    }
  }

  // On a thread of its own, because some peers wait for tasks.
  private func measure(_ contender: Contender, round: Int) async throws -> SliceOutcome {
    try await onThread { try contender.measure(round: round, seed: 1, instruments: .system) }
  }

  /// The number of open-loop operations that may not have been started.
  private func notStarted(_ outcome: SliceOutcome, _ series: Series) -> UInt64 {
    series.kind == .intended ? outcome.missed : 0
  }

  /// Whether no operation of an open loop was started in time.
  private func isMissed(_ outcome: SliceOutcome, _ series: Series) -> Bool {
    notStarted(outcome, series) >= series.workload.samples && outcome.recorded.count < 2
  }

  @Test("every peer outside the standard run records its samples, also when measured again")
  func others() async throws {
    let registry = Registry.standard.taking(samples: 4, in: 1)
    let selection = try registry.everything()
    for contender in selection.contenders
    where !(contender.peer.isStandard && contender.scenario.isStandard) {
      // The longest series are measured only once, and not with a sanitizer, which
      // slows them down and finds the same in the short ones.
      let isLong = contender.series.workload.operations > 10_000
      if isLong, Interposed.isSanitized { continue }
      let rounds = isLong || Interposed.isSanitized ? 1 : 2
      for round in 1...rounds {
        do {
          let outcome = try await measure(contender, round: round)
          let count = outcome.recorded[contender.series.name]?.count ?? 0
          #expect(count + notStarted(outcome, contender.series) >= 4, "\(contender.name)")
        } catch {
          #expect(isOfSanitizer(error), "\(error)")
        }
      }
    }
    let names = Set(selection.contenders.map(\.peer.name))
    let expected = [
      "lt", "lt.own", "uv", "eventfd", "epoll", "cond", "heap", "dispatch", "actor", "task",
      "uvwork",
    ]
    #expect(names.isSuperset(of: expected))
    // If loopbench-foundation is not built, these two peers are left out with a
    // warning.
    for name in ["opqueue", "runloop"] where !names.contains(name) {
      let warning = selection.warnings.first { $0.text.contains("\"\(name)\"") }
      #expect(warning?.id == "peer-unavailable")
    }
  }
}

/// Whether `error` says that a library could not be loaded because the program
/// is built with a sanitizer and does not export its runtime.
func isOfSanitizer(_ error: any Error) -> Bool {
  ["__tsan_", "__asan_"].contains { "\(error)".contains($0) }
}
