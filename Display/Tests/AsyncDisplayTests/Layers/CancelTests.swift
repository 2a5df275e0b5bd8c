import AsyncDisplay
import LoopTransactions
import LoopTransactionsTesting
import Testing

@Suite("Cancelling displays")
struct CancelTests {
  // D2, D5; Texture's test 19
  @Test("what is cancelled before it starts never runs, is told, and leaves the layer dirty")
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

  // D2
  @Test("what is cancelled half way sees it, and is told on the loop")
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

  // D-31
  @Test("a drawing is cancelled while its memory is cleared, or painted", arguments: [true, false])
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
    // At its begin and its end, by 32 rows, and where it is not opaque by 256 KiB.
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

  // D-31
  @Test("who measures it is told how soon a worker stopped; of what never ran, nothing")
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
        // What it computes before does not count.
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
        // It computed all the time, but while others had its processor. Two clocks.
        let computed = try #require(first.computed)
        #expect(computed > .zero && computed <= first.after + .milliseconds(1))
      #endif
      painter.work = nil
      layer.displayIfNeeded()
      #expect(display.settle() && told.withLock { $0.count } == 1)
    }
  }

  // D2, D3
  @Test("what is cancelled when it is drawn and not delivered is not shown")
  func cancelledAtDelivery() throws {
    try withDisplay { display in
      let painter = Painter()
      let layer = Layer(in: display, painter)
      let drawn = Gate()
      painter.work = { _, _ in drawn.open() }
      layer.setNeedsDisplay()
      // Without a tick, in which it could be delivered.
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
  @Test("what its container cancels is told, and leaves the layer dirty")
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
      // Without a tick, in which it could be delivered.
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
  @Test("what its will cancels is not drawn, and told")
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

  // D10, D-25
  @Test("a tree that is let go of without being unloaded has its decoding cancelled")
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
