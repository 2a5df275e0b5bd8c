import LoopbenchKit
import Testing

@Suite("Spread")
struct SpreadTests {
  @Test("the median of an odd count is the middle value")
  func odd() {
    let spread = Spread(of: [9, 1, 5])
    #expect(spread?.median == 5)
    #expect(spread?.low == 1)
    #expect(spread?.high == 9)
  }

  @Test("the median of an even count is the mean of the two in the middle")
  func even() {
    #expect(Spread(of: [4, 1, 3, 100])?.median == 3.5)
  }

  @Test("there is no spread of nothing")
  func empty() {
    #expect(Spread(of: []) == nil)
  }
}
