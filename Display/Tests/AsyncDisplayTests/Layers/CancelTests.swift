@testable import AsyncDisplay
import LoopTransactions
import LoopTransactionsTesting
import Testing

@Suite("Cancelling displays")
struct CancelTests {
  // D2, D5
  @Test("a display cancelled before it starts neither draws nor calls back; the layer stays dirty")
  func cancelledBeforeStart() throws {
    try withDisplay(workers: 1) { display in
      let gate = Gate()
      display.scheduler.add(priority: .interactive) { _ in gate.wait() }
      let painter = Painter()
      let layer = Layer(in: display, painter)
      layer.setNeedsDisplay()
      display.loop.run(.noWait)
      #expect(layer.isDisplaying)
      layer.cancelDisplay()
      #expect(!layer.isDisplaying)
      gate.open()
      #expect(display.settle())
      #expect(painter.trace.take() == ["will 1", "did 1 cancelled"])
      #expect(layer.needsDisplay && layer.contents == nil)
      layer.displayIfNeeded()
      #expect(display.settle())
      #expect(painter.trace.take() == ["will 2", "draw 2", "did 2 displayed"])
    }
  }

  // D5
  @Test("cancelling when no display is needed leaves the layer clean, and calls no callbacks")
  func cancelledWhileClean() throws {
    try withDisplay { display in
      let painter = Painter()
      let layer = Layer(in: display, painter)
      layer.setNeedsDisplay()
      #expect(display.settle())
      #expect(painter.trace.take() == ["will 1", "draw 1", "did 1 displayed"])
      layer.cancelDisplay()
      #expect(!layer.needsDisplay && layer.contents != nil)
      #expect(display.settle())
      #expect(painter.trace.events == [])
    }
  }

  // D2
  @Test("a drawing sees that it was cancelled, and didDisplay is called on the loop")
  func cancelledHalfWay() throws {
    try withDisplay { display in
      let painter = Painter()
      let layer = Layer(in: display, painter)
      let (began, seen) = (Gate(), Gate())
      painter.work = { _, isCancelled in
        began.open()
        while !isCancelled() {}
        seen.open()
      }
      layer.setNeedsDisplay()
      display.loop.run(.noWait)
      #expect(began.wait())
      layer.cancelDisplay()
      #expect(seen.wait())
      #expect(display.settle())
      #expect(painter.trace.events == ["will 1", "draw 1", "did 1 cancelled"])
      #expect(layer.needsDisplay && layer.contents == nil)
      #expect(display.metrics.inFlightBytes == 0)
      #expect(display.pool.metrics.lent == 0)
    }
  }

  @Test(
    "a drawing can be cancelled while its memory is cleared or filled",
    arguments: [true, false]
  )
  func clearing(_ isOpaque: Bool) throws {
    let pool = BitmapPool()
    let (pixels, drawn) = (PixelSize(width: 1024, height: 1024), Counted())
    let drawing = Drawing(
      pixels: pixels,
      size: Size(width: 1024, height: 1024),
      scale: 1,
      isOpaque: isOpaque,
      backgroundColor: nil
    ) { _, _, _ in drawn.add() }
    let whole = Tally()
    _ = try drawing.draw(from: pool) {
      whole.count()
      return false
    }
    // Polled at the start, at the end and every 32 rows. If the layer is not
    // opaque, also polled every 256 KiB.
    #expect(whole.value == 2 + 32 + (isOpaque ? 0 : 16) && drawn.value == 1)
    for limit in 0..<(whole.value - 1) {
      let asked = Tally()
      #expect(throws: CancellationError.self) {
        try drawing.draw(from: pool) { asked.count() > limit }
      }
      #expect(asked.value == limit + 1)
    }
    #expect(drawn.value == 1 && pool.metrics.lent == 0)
  }

  @Test("onStopped reports how soon a worker stopped, and is not called if the display never ran")
  func stopped() throws {
    try withDisplay(workers: 1) { display in
      let told = Locked<[(after: Duration, computed: Duration?)]>([])
      display.onStopped = { after, computed in told.withLock { $0.append((after, computed)) } }
      let (painter, other) = (Painter(), Painter())
      let (layer, waiting) = (Layer(in: display, painter), Layer(in: display, other))
      let (began, seen, rest) = (Gate(), Gate(), Duration.milliseconds(2))
      @Sendable func compute(for duration: Duration) {
        let end = ContinuousClock.now.advanced(by: duration)
        while ContinuousClock.now < end {}
      }
      painter.work = { _, isCancelled in
        // CPU time before the cancellation does not count.
        compute(for: .milliseconds(20))
        began.open()
        while !isCancelled() {}
        compute(for: rest)
        seen.open()
      }
      layer.setNeedsDisplay()
      waiting.setNeedsDisplay()
      display.loop.run(.noWait)
      #expect(began.wait())
      waiting.cancelDisplay()
      layer.cancelDisplay()
      #expect(seen.wait() && display.settle())
      #expect(told.withLock { $0.count } == 1)
      let first = try #require(told.withLock { $0.first })
      #expect(first.after >= rest)
      #if os(Linux)
        // The worker computed all the time, except while other threads used its
        // processor. The two clocks differ slightly.
        let computed = try #require(first.computed)
        #expect(computed > .zero && computed <= first.after + .milliseconds(1))
      #endif
      painter.work = nil
      layer.displayIfNeeded()
      #expect(display.settle() && told.withLock { $0.count } == 1)
    }
  }

  // D2, D3
  @Test("a display cancelled between drawing and delivery is not shown")
  func cancelledAtDelivery() throws {
    try withDisplay { display in
      let painter = Painter()
      let layer = Layer(in: display, painter)
      let drawn = Gate()
      painter.work = { _, _ in drawn.open() }
      layer.setNeedsDisplay()
      // Begins the display without a tick, because a tick could deliver the
      // result.
      layer.displayIfNeeded()
      #expect(drawn.wait())
      while display.scheduler.metrics.running > 0 {}
      layer.cancelDisplay()
      #expect(display.settle())
      #expect(painter.trace.events == ["will 1", "draw 1", "did 1 cancelled"])
      #expect(layer.contents == nil)
    }
  }

  // D2, D5
  @Test("a display cancelled through its container calls back and leaves the layer dirty")
  func cancelledByContainer() throws {
    try withDisplay { display in
      let container = TransactionContainer(
        on: display.loop,
        collects: true,
        scheduler: display.scheduler
      )
      let painter = Painter()
      let layer = Layer(in: display, painter)
      layer.container = container
      let drawn = Gate()
      painter.work = { _, _ in drawn.open() }
      layer.setNeedsDisplay()
      // Begins the display without a tick, because a tick could deliver the
      // result.
      layer.displayIfNeeded()
      #expect(drawn.wait())
      container.cancelAll()
      let isFinished = display.settle()
      #expect(isFinished)
      #expect(painter.trace.events == ["will 1", "draw 1", "did 1 cancelled"])
      #expect(layer.needsDisplay && layer.contents == nil)
      layer.waitUntilDisplayed()
      #expect(!layer.needsDisplay && layer.contents != nil)
    }
  }

  // D2
  @Test("a display cancelled by its willDisplay is not drawn, and calls back")
  func cancelledByWill() throws {
    try withDisplay { display in
      let painter = Painter()
      let layer = Layer(in: display, painter)
      painter.onWill = { [unowned layer] in layer.cancelDisplay() }
      layer.setNeedsDisplay()
      #expect(display.settle())
      #expect(painter.trace.events == ["will 1", "did 1 cancelled"])
      #expect(layer.needsDisplay)
    }
  }

  // D10
  @Test("releasing a tree without unloading it cancels the decoding of its images")
  func treeGone() throws {
    try withDisplay { display in
      var node: ImageNode? = ImageNode()
      node?.frame = Rect(x: 0, y: 0, width: 8, height: 8)
      node?.image = .data(Pictures.file("png", 8, 8))
      let (began, seen, ended) = (Gate(), Gate(), Gate())
      node?.modification = ImageModification("slow") { bitmap, _, isCancelled in
        defer { ended.open() }
        began.open()
        let end = LoopClock.now.advanced(by: .seconds(10))
        while LoopClock.now < end {
          guard isCancelled() else { continue }
          seen.open()
          throw CancellationError()
        }
        return bitmap
      }
      node?.load(in: display)
      display.loop.run(.noWait)
      #expect(began.wait())
      weak let gone = node
      node = nil
      #expect(gone == nil)
      #expect(ended.wait() && seen.isOpen)
      #expect(display.settle())
    }
  }
}
