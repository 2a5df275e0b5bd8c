import AsyncDisplay
import LoopTransactions
import LoopTransactionsTesting
import Testing

@Suite("Layer")
struct LayerTests {
  // D1
  @Test("an invalidated layer is displayed once, calls back in order, and shows the drawing")
  func displays() throws {
    try withDisplay { display in
      let painter = Painter()
      let layer = Layer(in: display, painter)
      layer.setNeedsDisplay()
      layer.setNeedsDisplay()
      #expect(layer.contents == nil)
      #expect(display.settle())
      #expect(painter.trace.events == ["will 1", "draw 1", "did 1 displayed"])
      #expect(layer.contents?.firstPixel == 0xFFFF_0000)
      #expect(!layer.needsDisplay && !layer.isDisplaying)
    }
  }

  // D1
  @Test("drawing runs on a worker, and callbacks on the loop")
  func threads() throws {
    try withDisplay { display in
      let painter = Painter()
      let layer = Layer(in: display, painter)
      let loop = ThreadName()
      painter.work = { _, _ in #expect(!loop.isCurrent) }
      painter.onWill = { #expect(loop.isCurrent) }
      painter.onDid = { _ in #expect(loop.isCurrent) }
      layer.setNeedsDisplay()
      #expect(display.settle())
      #expect(painter.trace.events.count == 3)
    }
  }

  // D7
  @Test("a synchronous layer is drawn by the display commit")
  func synchronous() throws {
    try withSteppedDisplay { display, stepped in
      let painter = Painter(stepped.trace)
      let layer = Layer(in: display, painter)
      layer.displaysAsynchronously = false
      stepped.loop.addObserver(for: .beforeWaiting, order: 0) { _ in stepped.trace.record("0") }
      stepped.loop.addObserver(for: .beforeWaiting, order: 2_000_001) { _ in
        stepped.trace.record("later")
      }
      layer.setNeedsDisplay()
      stepped.step()
      #expect(stepped.trace.events == ["0", "will 1", "draw 1", "did 1 displayed", "later"])
    }
  }

  // D7
  @Test("a layer invalidated by a transaction is displayed in the next tick")
  func nextTick() throws {
    try withSteppedDisplay { display, stepped in
      let painter = Painter(stepped.trace)
      let layer = Layer(in: display, painter)
      layer.displaysAsynchronously = false
      let invalidate = Selector<Layer>("invalidate") { $0.setNeedsDisplay() }
      stepped.loop.commit(layer, invalidate)
      stepped.step()
      #expect(stepped.trace.events == [])
      #expect(!stepped.isIdle)
      stepped.step()
      #expect(stepped.trace.events == ["will 1", "draw 1", "did 1 displayed"])
      #expect(stepped.runUntilIdle() < 3)
    }
  }

  // D4
  @Test("a layer that its didDisplay invalidates is displayed once per tick")
  func oncePerTick() throws {
    try withSteppedDisplay { display, stepped in
      let painter = Painter()
      let layer = Layer(in: display, painter)
      layer.displaysAsynchronously = false
      painter.onDid = { [weak layer] _ in layer?.setNeedsDisplay() }
      layer.setNeedsDisplay()
      for tick in 1...5 {
        stepped.step()
        #expect(painter.count == tick)
      }
    }
  }

  // D4
  @Test("a layer invalidated faster than it is drawn shows contents, and the newest at the end")
  func noLivelock() throws {
    try withDisplay { display in
      let painter = Painter()
      let layer = Layer(in: display, painter)
      var shown = 0
      painter.onDid = {
        if case .displayed = $0 { shown += 1 }
        // The loop waits for posts, so its run does not end until `stop()` is
        // called.
        if shown == 20 { display.loop.stop() }
      }
      layer.setNeedsDisplay()
      // Each drawing invalidates its layer and waits until the invalidation has
      // happened.
      let port = display.loop.port
      display.loop.waitsForPosts = true
      let box = Handed(layer)
      painter.work = { count, _ in
        guard count < 20 else { return }
        let isInvalidated = Gate()
        try port.post {
          box.value?.setNeedsDisplay()
          isInvalidated.open()
        }
        isInvalidated.wait()
      }
      #expect(display.loop.run(until: display.loop.now.advanced(by: .seconds(20))) == .stopped)
      #expect(shown == 20)
      #expect(painter.count == 20)
      #expect(!layer.needsDisplay)
    }
  }

  // D1
  @Test("a layer without a task or a drawing clears its contents")
  func nothingToDraw() throws {
    try withDisplay { display in
      let painter = Painter()
      let layer = Layer(in: display, painter)
      layer.displayNow()
      #expect(layer.contents != nil)
      painter.hasTask = false
      layer.setNeedsDisplay()
      #expect(display.settle())
      #expect(layer.contents == nil)
      #expect(display.metrics.cleared == 1)
      #expect(display.metrics.begun == 2)
    }
  }
}
