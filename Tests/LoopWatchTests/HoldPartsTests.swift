import LoopWatch
import Testing

@Suite("HoldParts")
struct HoldPartsTests {
  private func usage(
    running: UInt64 = 0,
    waiting: UInt64 = 0,
    throttled: UInt64 = 0,
    stolen: UInt64 = 0
  ) -> ThreadUsage {
    var usage = ThreadUsage(time: 0)
    (usage.running, usage.waiting) = (running, waiting)
    (usage.throttled, usage.stolen) = (throttled, stolen)
    return usage
  }

  private func divide(
    _ length: UInt64,
    to after: ThreadUsage,
    outside: UInt64 = 0,
    _ states: [Observation.State] = []
  ) -> HoldParts {
    HoldParts(
      length: length,
      from: usage(),
      to: after,
      outside: outside,
      observations: states.map { Observation(time: 0, state: $0) }
    )
  }

  @Test("a hold is divided into running and waiting for a CPU")
  func runningAndWaiting() {
    let parts = divide(60, to: usage(running: 16, waiting: 44))
    #expect(parts[.running] == 16 && parts[.waiting] == 44 && parts.main == .waiting)
  }

  @Test("time of other ticks between the readings is not counted")
  func outside() {
    let parts = divide(60, to: usage(running: 65), outside: 5)
    #expect(parts[.running] == 60 && parts.total == 60)
  }

  @Test("throttled time is part of the time that waited for a CPU")
  func throttled() {
    let parts = divide(100, to: usage(running: 10, waiting: 90, throttled: 85))
    #expect(parts[.throttled] == 85 && parts[.waiting] == 5)
  }

  @Test("time asleep is divided by the observed states")
  func asleep() {
    let parts = divide(100, to: usage(running: 20), [.blocked, .stopped, .stopped, .stopped])
    #expect(parts[.blocked] == 20 && parts[.stopped] == 60)
  }

  @Test("a thread that was seen asleep once of ten times did not sleep for most of the hold")
  func seldomAsleep() {
    let states: [Observation.State] =
      [.blocked] + [Observation.State](repeating: .runnable, count: 9)
    let parts = divide(100, to: usage(running: 20, stolen: 50), states)
    #expect(parts[.blocked] == 20 && parts[.stolen] == 50 && parts[.unexplained] == 10)
  }

  @Test("time without an observation is stolen or unexplained")
  func unexplained() {
    let parts = divide(100, to: usage(running: 20, stolen: 30), [.runnable])
    #expect(parts[.stolen] == 30 && parts[.unexplained] == 50)
  }

  @Test("counters that were first read after the hold explain nothing")
  func unknownCounters() {
    let parts = HoldParts(
      length: 100,
      from: ThreadUsage(time: 0),
      to: usage(waiting: 40, throttled: 5000, stolen: 9000),
      outside: 0,
      observations: []
    )
    #expect(parts[.waiting] == 40 && parts[.unexplained] == 60)
  }

  @Test("the parts sum to the hold for any values of the counters")
  func sum() {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<2000 {
      func any() -> UInt64 { .random(in: 0...200, using: &generator) }
      let states: [Observation.State] = [.blocked, .stopped, .runnable]
      let length = any()
      let parts = divide(
        length,
        to: usage(running: any(), waiting: any(), throttled: any(), stolen: any()),
        outside: any(),
        (0..<Int.random(in: 0...3)).map { _ in states.randomElement() ?? .runnable }
      )
      #expect(parts.total == length)
    }
  }
}
