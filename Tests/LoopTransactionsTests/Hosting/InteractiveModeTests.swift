import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

@Suite("InteractiveMode")
struct InteractiveModeTests {
  @Test("input begins the activity, and the quiet time after the last input ends it")  // O4
  func state() {
    var input = InputActivity(quietTime: 100)
    #expect(!input.isOn)
    var rests = [input.rest(0)]
    var begins = [input.arrived(10), input.arrived(60)]
    rests.append(input.rest(110))
    #expect(input.isOn)
    // An earlier reading of the clock.
    rests.append(input.rest(50))
    rests.append(input.rest(160))
    #expect(!input.isOn)
    #expect(rests == [nil, 50, 100, nil])
    begins.append(input.arrived(170))
    #expect(begins == [true, false, true])
    let ends = [input.end(), input.end()]
    #expect(ends == [true, false])
    #expect(!input.isOn)
  }

  @Test("the schedulers are interactive from the first input until the loop was quiet")  // O4
  func follows() throws {
    try withSteppedLoop { stepped in
      let schedulers = [OperationScheduler("first"), OperationScheduler("second")]
      let mode = InteractiveMode(
        of: schedulers,
        on: stepped.loop,
        quietTime: .milliseconds(100)
      )
      func areInteractive() -> [Bool] { schedulers.map(\.isInteractive) }
      #expect(areInteractive() == [false, false])
      for _ in 0..<5 {
        mode.inputArrived()
        #expect(areInteractive() == [true, true])
        stepped.advance(by: .milliseconds(60))
        #expect(mode.isOn)
      }
      stepped.advance(by: .milliseconds(39))
      #expect(areInteractive() == [true, true])
      stepped.advance(by: .milliseconds(1))
      #expect(areInteractive() == [false, false])
      #expect(!mode.isOn)
      mode.inputArrived()
      #expect(areInteractive() == [true, true])
      mode.cancel()
      #expect(areInteractive() == [false, false])
    }
  }

  @Test("a mode that is released while it is on turns interactive mode off")  // O4
  func released() throws {
    try withLoop { loop in
      let scheduler = OperationScheduler("released")
      var mode: InteractiveMode? = InteractiveMode(of: [scheduler], on: loop)
      mode?.inputArrived()
      #expect(scheduler.isInteractive)
      mode = nil
      #expect(!scheduler.isInteractive)
      #expect(loop.run() == .finished)
    }
  }
}
