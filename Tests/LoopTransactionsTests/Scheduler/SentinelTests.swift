import Dispatch
import LoopTransactions
import Testing

@Suite("Sentinel")
struct SentinelTests {
  // D3
  @Test("threads that advance a sentinel concurrently each get a unique value")
  func advances() {
    let sentinel = Sentinel()
    #expect(sentinel.value == 0)
    let taken = Locked<Set<UInt64>>([])
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      let values = (0..<1000).map { _ in sentinel.advance() }
      // Each thread gets increasing values.
      #expect(values == values.sorted())
      taken.withLock { $0.formUnion(values) }
    }
    #expect(taken.withLock { $0 } == Set(1...4000))
    #expect(sentinel.value == 4000)
  }

  // D3
  @Test("raise(to:) never lowers the counter, and a reader sees each change")
  func raises() {
    let sentinel = Sentinel()
    let reader = sentinel.reader
    sentinel.raise(to: 7)
    #expect(reader.value == 7)
    sentinel.raise(to: 3)
    #expect(reader.value == 7)
    #expect(sentinel.advance() == 8)
    #expect(reader.value == 8)
  }
}
