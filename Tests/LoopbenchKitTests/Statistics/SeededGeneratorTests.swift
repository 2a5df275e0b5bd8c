import LoopTransactionsTesting
import LoopbenchKit
import Testing

@Suite("SeededGenerator")
struct SeededGeneratorTests {
  @Test("a seed produces the same numbers in every run and toolchain")
  func golden() {
    var generator = SeededGenerator(seed: 42, stream: 0)
    #expect((0..<3).map { _ in generator.number(below: 1000) } == [343, 955, 486])
  }

  @Test("different streams of a seed produce different numbers")
  func streams() {
    var first = SeededGenerator(seed: 42, stream: 1)
    var second = SeededGenerator(seed: 42, stream: 2)
    #expect(first.next() != second.next())
  }

  @Test("a shuffle keeps every item, and equal seeds produce equal orders")
  func shuffle() {
    var first = Array(0..<50)
    var second = first
    var generator = SeededGenerator(seed: 9, stream: 0)
    generator.shuffle(&first)
    generator = SeededGenerator(seed: 9, stream: 0)
    generator.shuffle(&second)
    #expect(first == second)
    #expect(first != Array(0..<50))
    #expect(first.sorted() == Array(0..<50))
  }

  @Test("a shuffle moves an item to each position about equally often")
  func fairness() {
    var counts = [Int](repeating: 0, count: 4)
    var generator = SeededGenerator(seed: 1, stream: 0)
    for _ in 0..<4000 {
      var items = [0, 1, 2, 3]
      generator.shuffle(&items)
      counts[items.firstIndex(of: 0) ?? 0] += 1
    }
    #expect(counts.allSatisfy { 900...1100 ~= $0 }, "\(counts)")
  }

  @Test("the number of a stream is the FNV-1a hash of its name")
  func streamHash() {
    #expect(UInt64(stream: "order/1") == UInt64(stream: "order/1"))
    #expect(UInt64(stream: "") == 0xCBF2_9CE4_8422_2325)
    #expect(UInt64(stream: "a") == 0xAF63_DC4C_8601_EC8C)
  }
}
