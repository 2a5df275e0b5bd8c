import Testing

@testable import LoopTransactions

@Suite("Duration")
struct DurationTests {
  @Test(
    "a description has three digits and a unit",
    arguments: [
      (0, "0 ns"), (1, "1 ns"), (999, "999 ns"), (1000, "1.00 us"), (1049, "1.05 us"),
      (9994, "9.99 us"), (9996, "10.0 us"), (10_049, "10.0 us"), (99_940, "99.9 us"),
      (99_960, "100 us"), (963_400, "963 us"), (60_349_000, "60.3 ms"), (1_005_000_000, "1.01 s"),
      (86_400_000_000_000, "86400 s"), (-2_500_000, "-2.50 ms"),
    ] as [(Int64, String)]
  )
  func brief(nanoseconds: Int64, text: String) {
    #expect(Duration.nanoseconds(nanoseconds).brief == text)
  }
}
