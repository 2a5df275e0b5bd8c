import LoopbenchKit
import Testing

@Suite("Suggestion")
struct SuggestionTests {
  @Test(
    "the distance counts inserted, deleted, replaced and swapped letters",
    arguments: [("wake", "wake", 0), ("wkae", "wake", 1), ("wak", "wake", 1), ("", "wake", 4)]
  )
  func distance(first: String, second: String, expected: Int) {
    #expect(Suggestion.distance(first, second) == expected)
    #expect(Suggestion.distance(second, first) == expected)
  }

  @Test("a word that resembles no known word gets no suggestion")
  func nothing() {
    #expect(Suggestion.nearest(to: "frobnicate", in: ["wake", "idle"]) == nil)
    #expect(Suggestion.nearest(to: "x", in: []) == nil)
  }
}
