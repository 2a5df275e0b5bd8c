import LoopTransactions
import LoopTransactionsTesting
import Testing

// C6
@Suite("SteppedLoop: choices")
struct SteppedReplayTests {
  @Test("timers that are due at the same instant fire in every order")
  func timers() throws {
    var orders: Set<[Int]> = []
    let visited = try SteppedLoop.forEachOrder { stepped in
      var fired: [Int] = []
      for number in 0..<4 {
        stepped.loop.addTimer(after: .seconds(1)) { _ in fired.append(number) }
      }
      stepped.advance(by: .seconds(1))
      orders.insert(fired)
    }
    #expect(orders.count == 24)
    #expect(visited == 24)
  }

  @Test("choices repeat the order of timers and the times of operations", arguments: UInt64(0)..<50)
  func repeats(_ seed: UInt64) throws {
    func events(_ stepped: SteppedLoop) throws -> [String] {
      let (trace, start, clock) = (stepped.trace, stepped.now, stepped.loop.port.clock)
      let time = Duration.milliseconds(1) ... .seconds(3)
      let scheduler = SteppedScheduler(on: stepped, operationTime: time).scheduler
      for number in 0..<4 {
        stepped.loop.addTimer(after: .seconds(1)) { _ in
          trace.record("timer \(number)")
          scheduler.add { _ in
            trace.record("operation \(number) at \(start.duration(to: clock.now))")
          }
        }
      }
      stepped.advance(by: .seconds(9))
      try stepped.close()
      return trace.events
    }
    let first = try SteppedLoop(seed: seed)
    let expected = try events(first)
    let second = try SteppedLoop(choices: first.choices)
    #expect(try events(second) == expected)
    #expect(second.choices == first.choices)
  }
}
