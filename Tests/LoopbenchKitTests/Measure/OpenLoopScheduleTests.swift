import LoopbenchKit
import Testing

@Suite("OpenLoopSchedule")
struct OpenLoopScheduleTests {
  private func dues(
    _ count: Int,
    _ arrival: OpenLoopSchedule.Arrival,
    seed: UInt64 = 7
  ) -> [UInt64] {
    var schedule = OpenLoopSchedule(
      first: 5000,
      period: 1000,
      arrival: arrival,
      generator: SeededGenerator(seed: seed)
    )
    return (0..<count).map { _ in schedule.next() }
  }

  @Test("constant arrivals are one period apart, and never drift")
  func constant() {
    #expect(dues(4, .const) == [5000, 6000, 7000, 8000])
    #expect(dues(100_001, .const).last == 100_005_000)
  }

  @Test("random arrivals begin at the first, never go back, and keep the rate")
  func poisson() {
    let dues = dues(20_000, .poisson)
    #expect(dues[0] == 5000)
    #expect(dues == dues.sorted())
    let gaps = zip(dues.dropFirst(), dues).map { Double($0 - $1) }
    let mean = gaps.reduce(0, +) / Double(gaps.count)
    #expect(abs(mean - 1000) < 30)
    // Of an exponential distribution, 1 - 1/e is below the mean.
    let below = Double(gaps.filter { $0 < 1000 }.count) / Double(gaps.count)
    #expect(abs(below - 0.632) < 0.015)
  }

  @Test("a seed repeats random arrivals, another gives others")
  func seeds() {
    #expect(dues(100, .poisson) == dues(100, .poisson))
    #expect(dues(100, .poisson) != dues(100, .poisson, seed: 8))
  }

  @Test("intended counts from when it was due, service from the start")
  func timing() {
    let timing = OpenLoopTiming(due: 1000, start: 1300, end: 1350)
    #expect(timing.intended == 350)
    #expect(timing.service == 50)
    #expect(timing.lag == 300)
    #expect(timing.isMissed(period: 299))
    #expect(!timing.isMissed(period: 300))
  }

  @Test("each of the three goes to its series; what misses its schedule is counted")
  func recording() {
    var slice = Slice(
      series: "intended",
      effort: Effort(warmUps: 0, samples: 1, operations: 1),
      seats: Placement.Seats(loop: nil, producer: nil),
      generator: SeededGenerator(seed: 1)
    )
    let timing = OpenLoopTiming(due: 1000, start: 1300, end: 1350)
    slice.record(timing, period: 300, service: "service", lag: "lag")
    #expect(slice.recorded["intended"]?.max == 350)
    #expect(slice.recorded["service"]?.max == 50)
    #expect(slice.recorded["lag"]?.max == 300)
    #expect(slice.missed == 0)
    slice.record(timing, period: 200)
    #expect(slice.missed == 1)
    #expect(slice.recorded["service"]?.count == 1)
  }
}
