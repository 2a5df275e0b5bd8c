import LoopTransactionsTesting
import Testing

// C6
@Suite("SeededGenerator")
struct SeededGeneratorTests {
  @Test("the numbers of a seed equal SplitMix64's")
  func reference() {
    var generator = SeededGenerator(seed: 1_234_567)
    let numbers = (0..<5).map { _ in generator.next() }
    #expect(
      numbers == [
        6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
        4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
      ]
    )
  }

  @Test("equal seeds give equal orders; different seeds differ")
  func reproducible() {
    func order(_ seed: UInt64) -> [Int] {
      var generator = SeededGenerator(seed: seed)
      return (0..<50).shuffled(using: &generator)
    }
    #expect(order(1) == order(1))
    #expect(order(1) != order(2))
    #expect(order(1).sorted() == Array(0..<50))
  }
}
