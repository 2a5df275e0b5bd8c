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

  @Test("a negative choice traps, and the message has its position")
  func negative() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try SteppedLoop(choices: [0, -1])
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("SteppedLoop.init: choices[1] must not be negative, got -1; pass the"))
  }

  @Test("a choice that is not possible in the run traps, and the message has the range")
  func impossible() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      fireThree(on: try SteppedLoop(choices: [2, 99]))
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    let message = "SteppedLoop: choices[1] must be from 0 to 1 in this run, got 99; pass the"
    #expect(text.contains(message))
  }

  @Test("close() reports choices that the run did not use, and no others")
  func unused() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let complete = try SteppedLoop(choices: [2, 1])
      fireThree(on: complete)
      #expect(complete.choices == [2, 1])
      try complete.close()
      let short = try SteppedLoop(choices: [2, 1, 98])
      fireThree(on: short)
      try short.close()
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    let hint = "SteppedLoop.close: the run ended before choices[2], which is 98; pass the"
    #expect(text.contains(hint))
    #expect(text.ranges(of: "SteppedLoop.close").count == 1)
  }
}

/// Fires three timers that are due at the same instant: two choices.
private func fireThree(on stepped: SteppedLoop) {
  for _ in 0..<3 { stepped.loop.addTimer(after: .seconds(1)) { _ in } }
  stepped.advance(by: .seconds(1))
}
