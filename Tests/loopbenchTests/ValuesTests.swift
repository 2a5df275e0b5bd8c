import LoopbenchKit
import Testing
import LoopbenchCommands

@Suite("Values")
struct ValuesTests {
  @Test("a time needs a unit, and is above 0 and at most a day")
  func durations() {
    #expect(Values.duration("3s") == 3_000_000_000)
    #expect(Values.duration("250ms") == 250_000_000)
    #expect(Values.duration("1.5us") == 1500)
    #expect(Values.duration("7ns") == 7)
    #expect(Values.duration("2m") == 120_000_000_000)
    #expect(Values.duration("24h") == 86_400_000_000_000)
    for bad in ["", "3", "s", "-1s", "0s", "25h", "1.2.3s", "3 s", "3sec", "nans", "infs", "1e3s"] {
      #expect(Values.duration(bad) == nil, "\(bad)")
    }
  }

  @Test("a rate is from 1 to a million a second")
  func rates() {
    #expect(Values.rate("1000") == 1000)
    #expect(Values.rate("1000/s") == 1000)
    #expect(Values.rate("5k/s") == 5000)
    for bad in ["", "0", "-1", "0.5", "1000001", "k", "x/s", "nan", "inf"] {
      #expect(Values.rate(bad) == nil, "\(bad)")
    }
  }

  @Test("a policy is the ordinary one, or real-time with a priority that exists")
  func policies() {
    #expect(Values.policy("other") == .some(nil))
    #expect(Values.policy("fifo:1") == 1)
    #expect(Values.policy("fifo:99") == 99)
    for bad in ["", "fifo", "fifo:", "fifo:0", "fifo:100", "rr:1", "fifo:x"] {
      #expect(Values.policy(bad) == nil, "\(bad)")
    }
  }

  @Test("a placement is a word or two CPUs")
  func placements() {
    #expect(Values.placement("auto") == .automatic)
    #expect(Values.placement("any") == .any)
    #expect(Values.placement("same") == .same)
    #expect(Values.placement("cross") == .cross)
    #expect(Values.placement("0,1") == .cpus(producer: 0, loop: 1))
    for bad in ["", "0", "0,1,2", "a,b", "0,-1", "0,9999"] {
      #expect(Values.placement(bad) == nil, "\(bad)")
    }
  }
}
