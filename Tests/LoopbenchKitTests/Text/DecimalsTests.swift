import LoopbenchKit
import Testing

@Suite("Decimals")
struct DecimalsTests {
  @Test(
    "a number is rounded to the given number of digits",
    arguments: [
      (1.005, 2, "1.00"), (0.0, 2, "0.00"), (9.999, 2, "10.00"), (0.05, 1, "0.1"),
      (-0.001, 2, "0.00"), (-1.5, 1, "-1.5"), (1234.5, 0, "1235"), (7, 3, "7.000"),
      (.nan, 2, "-"), (1e300, 0, "-"),
      (9.2e18, 0, "-"), (-9.2e12, 9, "-"), (9.2e14, 3, "920000000000000.000"),
    ]
  )
  func text(value: Double, digits: Int, expected: String) {
    #expect(Decimals.text(value, digits: digits) == expected)
  }

  @Test("numbers up to 999 have three significant digits, and larger numbers have all digits")
  func digits() {
    #expect([0.5, 9.99, 9.996, 99.94, 99.96, 5000].map(Decimals.digits) == [2, 2, 1, 1, 0, 0])
  }

  @Test("the fitting unit is the largest unit in which the smallest value is at least 1")
  func units() {
    #expect(TimeUnit.fitting([999.9, 2e6]) == .ns)
    #expect(TimeUnit.fitting([1000, 2e6]) == .us)
    #expect(TimeUnit.fitting([1e6]) == .ms)
    #expect(TimeUnit.fitting([]) == .ns)
    #expect(TimeUnit.fitting([0]) == .ns)
  }
}
