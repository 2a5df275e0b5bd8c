import LoopTransactionsTesting
import LoopbenchKit
import Testing

@Suite("OpenLoopSchedule")
struct OpenLoopScheduleTests {
  private func schedule(
    _ count: Int,
    _ arrival: Pace.Arrival = .const,
    seed: UInt64 = 7
  ) -> OpenLoopSchedule {
    var generator = SeededGenerator(seed: seed, stream: 0)
    let pace = Pace(rate: 1_000_000, arrival: arrival)
    return OpenLoopSchedule(count: count, pace: pace, generator: &generator)
  }

  @Test("constant arrivals are one interval apart and do not drift")
  func constant() {
    #expect(schedule(4).dues == [1000, 2000, 3000, 4000])
    #expect(schedule(100_000).dues.last == 100_000_000)
  }

  @Test("random arrivals are in ascending order and have the mean rate")
  func poisson() {
    let dues = schedule(20_000, .poisson).dues
    #expect(dues == dues.sorted())
    let gaps = zip(dues.dropFirst(), dues).map { Double($0 - $1) }
    let mean = gaps.reduce(0, +) / Double(gaps.count)
    #expect(abs(mean - 1000) < 30)
    // In an exponential distribution, a share of 1 - 1/e lies below the mean.
    let below = Double(gaps.filter { $0 < 1000 }.count) / Double(gaps.count)
    #expect(abs(below - 0.632) < 0.015)
  }

  @Test("equal seeds produce equal random arrivals; different seeds differ")
  func seeds() {
    #expect(schedule(100, .poisson) == schedule(100, .poisson))
    #expect(schedule(100, .poisson) != schedule(100, .poisson, seed: 8))
  }

  @Test("each operation starts when it is due, or immediately if the previous start took too long")
  func follow() {
    let pacing = FakePacing(500)
    let schedule = OpenLoopSchedule(dues: [1000, 2000, 3000, 9000], tolerance: 1000)
    let started = schedule.follow(from: 5000, clock: pacing.clock) { index in
      if index == 0 { pacing.advance(by: 2500) }
    }
    #expect(started == [6000, 8500, 8500, 14_000])
  }

  @Test("an operation is not started if it is late by more than the patience")
  func patience() {
    let pacing = FakePacing()
    let schedule = OpenLoopSchedule(dues: [0, 1, 300_000_000], tolerance: 1000)
    var indices: [Int] = []
    let started = schedule.follow(from: 1000, clock: pacing.clock) { index in
      indices.append(index)
      if index == 0 { pacing.advance(by: OpenLoopSchedule.patience + 2) }
    }
    #expect(indices == [0, 2])
    #expect(started == [1000, 0, 300_001_000])
  }

  @Test(
    "intended time begins at the due time, and service time at the start or the previous end"
  )
  func sample() {
    let late = OpenLoopSample(due: 1000, started: 1300, free: 0, ended: 1350)
    #expect([late.intended, late.service, late.lag] == [350, 50, 300])
    let queued = OpenLoopSample(due: 1000, started: 1000, free: 1340, ended: 1350)
    #expect([queued.intended, queued.service, queued.lag] == [350, 10, 0])
  }

  @Test("the three times are in their own series, and late or unstarted operations are missed")
  func recording() {
    var slice = Slice(
      series: "paced",
      workload: Workload(warmUps: 1, samples: 3, operations: 1),
      seats: Placement.Seats(loop: nil, producer: nil),
      generator: SeededGenerator(seed: 1, stream: 0)
    )
    let schedule = OpenLoopSchedule(dues: [100, 1000, 2000, 3000], tolerance: 300)
    // The first operation belongs to the warm-up, the second is on time, the third
    // is late, and the last was not started.
    slice.record(schedule, from: 0, started: [900, 1300, 2400, 0], ended: [950, 1350, 2450])
    #expect(slice.recorded["paced"]?.count == 2)
    #expect(slice.recorded["paced"]?.max == 450)
    #expect(slice.recorded["paced.service"]?.max == 50)
    #expect(slice.recorded["paced.lag"]?.max == 400)
    #expect(slice.missed == 2)
  }
}
