import LoopbenchKit
import Synchronization
import Testing

@Suite("Overhead")
struct OverheadTests {
  @Test("an interruption of 1 ms does not change the measured overhead")
  func interrupted() {
    let readings = Atomic<UInt64>(0)
    var instruments = Instruments()
    instruments.now = { () -> UInt64 in
      let count = readings.wrappingAdd(1, ordering: .relaxed).newValue
      return count * 20 + (count > 150 ? 1_000_000 : 0)
    }
    instruments.usage = {
      ResourceUse(cpuNs: 0, voluntarySwitches: 0, involuntarySwitches: 0)
    }
    let overhead = Overhead.measure(instruments)
    #expect(overhead.clockNs == 20)
    #expect(overhead.recordNs == 0.2)
  }
}
