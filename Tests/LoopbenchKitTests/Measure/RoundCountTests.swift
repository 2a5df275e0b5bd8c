import LoopbenchKit
import Testing

@Suite("RoundCount")
struct RoundCountTests {
  @Test("a fixed count is kept, however long it takes")
  func fixed() {
    #expect(RoundCount.fixed(3).continues(after: 2, elapsedNs: .max / 2, roundNs: 1))
    #expect(!RoundCount.fixed(3).continues(after: 3, elapsedNs: 0, roundNs: 1))
  }

  @Test("a time is filled, but not exceeded once there are 10 rounds")
  func fitting() {
    let count = RoundCount.fitting(nanoseconds: 1000)
    #expect(count.continues(after: 9, elapsedNs: 5000, roundNs: 100))
    #expect(count.continues(after: 10, elapsedNs: 900, roundNs: 100))
    #expect(!count.continues(after: 10, elapsedNs: 901, roundNs: 100))
    #expect(!count.continues(after: 30, elapsedNs: 0, roundNs: 1))
  }

  @Test("a time for each contender and a number of samples: whichever is reached first")
  func until() {
    func continues(_ count: RoundCount, _ done: Int, ns: UInt64, samples: UInt64) -> Bool {
      count.continues(
        after: done,
        elapsedNs: 0,
        roundNs: 0,
        recordedNs: ns,
        samples: samples,
        contenders: 3
      )
    }
    let both = RoundCount.until(perContender: 100, samples: 50)
    #expect(continues(both, 1, ns: 299, samples: 49))
    #expect(!continues(both, 1, ns: 300, samples: 49))
    #expect(!continues(both, 1, ns: 0, samples: 50))
    #expect(continues(.until(samples: 50), 1, ns: .max, samples: 49))
    #expect(continues(.until(perContender: 100), 1, ns: 299, samples: .max))
    #expect(continues(.until(samples: 0), 0, ns: 0, samples: 0))
    #expect(!continues(.until(), 1, ns: 0, samples: 0))
    #expect(both.estimate(roundNs: 60, samples: 5, contenders: 3) == 5)
    #expect(both.estimate(roundNs: 60, samples: 20, contenders: 3) == 3)
    #expect(RoundCount.until(perContender: .max).estimate(roundNs: 1, contenders: 9) == .max)
  }

  @Test("the estimate leaves room for the warm-up round")
  func estimate() {
    #expect(RoundCount.fitting(nanoseconds: 1600).estimate(roundNs: 100) == 15)
    #expect(RoundCount.fitting(nanoseconds: 1000).estimate(roundNs: 0) == 30)
    #expect(RoundCount.fitting(nanoseconds: 1000).estimate(roundNs: 900) == 10)
    #expect(RoundCount.fixed(4).estimate(roundNs: 900) == 4)
  }
}
