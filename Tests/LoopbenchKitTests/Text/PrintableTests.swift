import LoopbenchKit
import Testing

@Suite("Printable")
struct PrintableTests {
  @Test(
    "a line breaks at spaces, but not between a number and its unit",
    arguments: [
      ("itself differs by 5.1 %", 22, ["itself differs by", "  5.1 %"]),
      ("itself differs by 5.1 %", 23, ["itself differs by 5.1 %"]),
      ("takes 12 ms, at most", 9, ["takes", "  12 ms,", "  at most"]),
      ("within (20 s) each", 10, ["within", "  (20 s)", "  each"]),
      // "rounds" is no unit, and "by" is no number.
      ("after 20 rounds", 9, ["after 20", "  rounds"]),
      ("differs by % of it", 10, ["differs by", "  % of it"]),
      ("10 % 20 %", 5, ["10 %", "  20 %"]),
    ]
  )
  func units(text: String, width: Int, expected: [String]) {
    #expect(text.wrapped(to: width, indent: 2) == expected)
  }
}
