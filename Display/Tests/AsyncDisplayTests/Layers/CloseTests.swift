import AsyncDisplay
import LoopTransactions
import LoopTransactionsTesting
import Testing

@Suite("Layers of a loop that closes")
struct CloseTests {
  // D8. If the limit allows only one bitmap, the loop closes before all waiting
  // layers are displayed.
  @Test("layers that wait when their loop closes keep no objects alive", arguments: [false, true])
  func letsGo(_ isRun: Bool) throws {
    weak var witness: Display?
    weak var pool: BitmapPool?
    let painter = Painter()
    func leave() throws {
      let loop = try EventLoop()
      let scheduler = OperationScheduler("closing", workerLimit: 1)
      let display = Display(on: loop, scheduler: scheduler, inFlightLimit: 64)
      (witness, pool) = (display, display.pool)
      let layers = (0..<100).map { _ in Layer(in: display, painter) }
      for layer in layers { layer.setNeedsDisplay() }
      if isRun { loop.run(.noWait) }
      try loop.close()
      #expect(layers.contains { $0.needsDisplay && $0.contents == nil })
      // Each layer is either displayed or dirty.
      #expect(layers.allSatisfy { $0.needsDisplay != ($0.contents != nil) })
    }
    try leave()
    #expect(witness == nil && pool == nil)
  }

  @Test("a layer invalidated after its loop was closed is dirty and can be drawn synchronously")
  func afterClose() throws {
    let loop = try EventLoop()
    let painter = Painter()
    let layer = Layer(in: Display(on: loop), painter)
    let node = Block("", Rect(x: 0, y: 0, width: 2, height: 2), .red)
    node.load(in: layer.display)
    try loop.close()
    layer.setNeedsDisplay()
    node.backgroundColor = .blue
    #expect(layer.needsDisplay && node.layer?.needsDisplay == true)
    layer.displayNow()
    #expect(layer.contents != nil && !layer.needsDisplay)
  }
}
