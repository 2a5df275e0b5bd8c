import AsyncDisplay
import LoopTransactions
import Testing

@Suite("Layer: sentinel")
struct LayerSentinelTests {
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
