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

  @Test("a time and a number of rounds: whichever is reached first, after one round")
  func within() {
    let count = RoundCount.within(nanoseconds: 1000, rounds: 5)
    #expect(count.continues(after: 0, elapsedNs: 5000, roundNs: 100))
    #expect(count.continues(after: 4, elapsedNs: 900, roundNs: 100))
    #expect(!count.continues(after: 4, elapsedNs: 901, roundNs: 100))
    #expect(!count.continues(after: 5, elapsedNs: 0, roundNs: 1))
    #expect(count.estimate(roundNs: 250) == 3)
    #expect(count.estimate(roundNs: 100) == 5)
    #expect(count.estimate(roundNs: 5000) == 1)
  }

  @Test("the estimate leaves room for the warm-up round")
  func estimate() {
    #expect(RoundCount.fitting(nanoseconds: 1600).estimate(roundNs: 100) == 15)
    #expect(RoundCount.fitting(nanoseconds: 1000).estimate(roundNs: 0) == 30)
    #expect(RoundCount.fitting(nanoseconds: 1000).estimate(roundNs: 900) == 10)
    #expect(RoundCount.fixed(4).estimate(roundNs: 900) == 4)
  }
}
