import LoopbenchKit
import Testing
import LoopbenchCommands

@Suite("OptionValues")
struct OptionValuesTests {
  @Test("a duration has a unit, is greater than 0 and is at most a day")
  func durations() {
    #expect(OptionValues.duration("3s") == 3_000_000_000)
    #expect(OptionValues.duration("250ms") == 250_000_000)
    #expect(OptionValues.duration("1.5us") == 1500)
    #expect(OptionValues.duration("7ns") == 7)
    #expect(OptionValues.duration("2m") == 120_000_000_000)
    #expect(OptionValues.duration("24h") == 86_400_000_000_000)
    for bad in ["", "3", "s", "-1s", "0s", "25h", "1.2.3s", "3 s", "3sec", "nans", "infs", "1e3s"] {
      #expect(OptionValues.duration(bad) == nil, "\(bad)")
    }
  }

  @Test("a rate is from 1 to a million per second")
  func rates() {
    #expect(OptionValues.rate("1000") == 1000)
    #expect(OptionValues.rate("1000/s") == 1000)
    #expect(OptionValues.rate("5k/s") == 5000)
    for bad in ["", "0", "-1", "0.5", "1000001", "k", "x/s", "nan", "inf"] {
      #expect(OptionValues.rate(bad) == nil, "\(bad)")
    }
  }

  @Test("a placement is a word, or two CPUs")
  func placements() {
    #expect(OptionValues.placement("auto") == .automatic)
    #expect(OptionValues.placement("any") == .any)
    #expect(OptionValues.placement("same") == .same)
    #expect(OptionValues.placement("cross") == .cross)
    #expect(OptionValues.placement("0,1") == .cpus(producer: 0, loop: 1))
    for bad in ["", "0", "0,1,2", "a,b", "0,-1", "0,9999"] {
      #expect(OptionValues.placement(bad) == nil, "\(bad)")
    }
  }
}
