import TestSupport
import Testing

@testable import LoopTransactions
@testable import LoopTransactionsTesting

@Suite("Recorder")
struct RecorderTests {
  // The counter is converted to the system's clock.
  private let error: UInt64 = 100_000

  private func distance(_ a: UInt64, _ b: UInt64) -> UInt64 { a > b ? a - b : b - a }

  /// Waits until libuv's clock has advanced by `milliseconds`.
  private func wait(_ milliseconds: UInt64) {
    let end = System.nanoseconds / 1_000_000 + milliseconds
    while System.nanoseconds / 1_000_000 < end {}
  }

  @Test("a tick whose first callback is late begins when its poll returned")  // X2
  func lateCallback() {
    var recorder = Recorder(metrics: MetricsCells(), virtualTime: nil, isInTick: false)
    defer { recorder.stop() }
    for _ in 0..<2 {
      recorder.enterTick(polledAt: System.nanoseconds / 1_000_000)
      _ = recorder.endTick(at: recorder.now)
      recorder.willPoll(mayBlock: true)
      let ended = recorder.nanoseconds(at: recorder.workEnd)
      let polled = System.nanoseconds / 1_000_000 + 1
      // Other callbacks run meanwhile.
      wait(4)
      recorder.enterTick(polledAt: polled)
      let latest = (polled + 1) * 1_000_000
      #expect(distance(recorder.nanoseconds(at: recorder.tick.start), latest) <= error)
      #expect(distance(recorder.nanoseconds(at: recorder.tick.waitStart), ended) <= error)
      _ = recorder.endTick(at: recorder.now)
      recorder.willPoll(mayBlock: true)
      // The same millisecond: the poll returned after the last tick.
      let end = recorder.workEnd
      recorder.enterTick(polledAt: polled)
      #expect(recorder.tick.start >= end && recorder.tick.start == recorder.tick.waitStart)
      _ = recorder.endTick(at: recorder.now)
      recorder.willPoll(mayBlock: true)
    }
  }

  @Test("the time that a run did not poll moves no beginning of a tick")  // X2
  func firstTick() {
    var recorder = Recorder(metrics: MetricsCells(), virtualTime: nil, isInTick: false)
    defer { recorder.stop() }
    recorder.leaveRun()
    let polled = System.nanoseconds / 1_000_000
    wait(3)
    let before = recorder.now
    recorder.enterTick(polledAt: polled)
    #expect(recorder.tick.start >= before)
    #expect(recorder.tick.waitStart == recorder.tick.start)
  }

  @Test("a poll without a handler before it begins at the end of the tick")  // X2
  func atOnce() {
    var time: UInt64 = 100
    var recorder = Recorder(metrics: MetricsCells(), virtualTime: { time }, isInTick: false)
    func slept(atOnce: Bool) -> UInt64 {
      recorder.enterTick(polledAt: 0)
      _ = recorder.endTick(at: time)
      time += 7
      recorder.willPoll(mayBlock: true, atOnce: atOnce)
      time += 20
      recorder.enterTick(polledAt: 0)
      return recorder.tick.start - recorder.tick.waitStart
    }
    #expect(slept(atOnce: true) == 27)
    #expect(slept(atOnce: false) == 20)
  }

  @Test("each post of a tick begins at a reading of its own, after the budget has begun")  // X2, L9
  func ownReadings() throws {
    let loop = try EventLoop()
    defer { try? loop.close() }
    var reports: [TickReport] = []
    var starts: [UInt64] = []
    loop.tickHandler = { reports.append($0) }
    for _ in 0..<2 {
      loop.post { starts.append(loop.recorder?.pointee.pieceStart ?? 0) }
    }
    loop.run(.noWait)
    #expect(starts.count == 2 && starts[1] > starts[0] && starts[0] > loop.meter.start)
    #expect(reports.first?.count(of: .post) == 2)
    let rate = CycleClock().rate
    let report = try #require(reports.first)
    let first = LoopClock.Instant(nanoseconds: rate.nanoseconds(at: starts[0]))
    #expect(report.start <= first.advanced(by: .nanoseconds(error)))
    #expect(first <= report.end.advanced(by: .nanoseconds(error)))
  }
}
