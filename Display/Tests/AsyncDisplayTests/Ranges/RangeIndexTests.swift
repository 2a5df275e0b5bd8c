@testable import AsyncDisplay
import LoopTransactionsTesting
import Testing

@Suite("RangeIndex")
struct RangeIndexTests {
  @Test("the index finds the same items in a window as a linear search", arguments: [1, 2, 3])
  func finds(_ seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      let spans = (0..<Int.random(in: 0...30, using: &generator)).map { item in
        let start = Double.random(in: 0...100, using: &generator)
        let length = Double.random(in: 0...(item % 7 == 0 ? 90 : 10), using: &generator)
        return (start: start, end: start + length, item: item)
      }
      let index = RangeIndex(spans.map { .init(start: $0.start, end: $0.end, item: $0.item) })
      for _ in 0..<20 {
        let start = Double.random(in: -20...120, using: &generator)
        let end = start + Double.random(in: 0...40, using: &generator)
        var found: Set<Int> = []
        index.forEach(from: start, to: end) { found.insert($0.item) }
        let expected = spans.filter { $0.start < end && $0.end > start }.map(\.item)
        #expect(found == Set(expected))
      }
    }
  }
}
