import AsyncDisplay
import Foundation
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
  @Test("a layer's sentinel increases with each invalidation, display and cancellation")
  func ofLayer() throws {
    try withDisplay { display in
      let painter = Painter()
      let layer = Layer(in: display, painter)
      let sentinel = layer.sentinel
      var last = sentinel.value
      func expectNewer(_ step: String) {
        #expect(sentinel.value > last, "\(step)")
        last = sentinel.value
      }
      #expect(last == 0)
      layer.setNeedsDisplay()
      expectNewer("invalidated")
      // The value that a worker has read matches until a newer display or
      // invalidation occurs.
      let seen = Locked<[UInt64]>([])
      painter.work = { _, _ in seen.withLock { $0.append(sentinel.value) } }
      let isFinished = display.settle()
      #expect(isFinished)
      expectNewer("displayed")
      #expect(seen.withLock { $0 } == [last])
      layer.cancelDisplay()
      expectNewer("cancelled")
      layer.displayNow()
      expectNewer("displayed now")
      #expect(layer.sentinel.value == last)
    }
  }
}
