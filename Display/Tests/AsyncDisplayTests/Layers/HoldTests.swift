import AsyncDisplay
import LoopTransactions
import LoopTransactionsTesting
import Testing

@Suite("Policies, holds and waits")
struct HoldTests {
  // D5
  @Test(
    "during a display the layer shows the contents that its policy specifies",
    arguments: [ContentsPolicy.keep, .clear, .placeholder]
  )
  func policies(_ policy: ContentsPolicy) throws {
    try withDisplay { display in
      let painter = Painter()
      let layer = Layer(in: display, painter)
      layer.displayNow()
      let old = layer.contents
      let stand = try Bitmap.draw(PixelSize(width: 1, height: 1), from: display.pool) { _ in }
      layer.placeholder = stand
      layer.contentsPolicy = policy
      let gate = Gate()
      painter.work = { _, _ in gate.wait() }
      layer.setNeedsDisplay()
      #expect(layer.contents === old)
      display.loop.run(.noWait)
      switch policy {
      case .keep: #expect(layer.contents === old)
      case .clear: #expect(layer.contents == nil)
      case .placeholder: #expect(layer.contents === stand)
      }
      gate.open()
      let isFinished = display.settle()
      #expect(isFinished)
      #expect(layer.contents != nil && layer.contents !== old && layer.contents !== stand)
      withExtendedLifetime(painter) {}
    }
  }

  // D13
  @Test("contents fade in only if the layer was empty")
  func fades() throws {
    try withSteppedDisplay { display, stepped in
      let painter = Painter()
      let layer = Layer(in: display, painter)
      layer.fadeDuration = .milliseconds(600)
      #expect(layer.contentsAlpha(at: stepped.now) == 0)
      layer.displayNow()
      #expect(layer.contentsAlpha(at: stepped.now) == 0)
      stepped.advance(by: .milliseconds(300))
      #expect(layer.contentsAlpha(at: stepped.now) == 0.5)
      layer.displayNow()
      #expect(layer.contentsAlpha(at: stepped.now) == 1)
      layer.clearContents()
      layer.displayNow()
      #expect(layer.contentsAlpha(at: stepped.now) == 0)
      stepped.advance(by: .seconds(1))
      #expect(layer.contentsAlpha(at: stepped.now) == 1)
      withExtendedLifetime(painter) {}
    }
  }

  // D7
  @Test(
    "a layer invalidated while suspended or detached is displayed once afterwards",
    arguments: [true, false],
    [true, false]
  )
  func holds(_ isAsynchronous: Bool, _ isDetaching: Bool) throws {
    try withDisplay { display in
      let painter = Painter()
      let layer = Layer(in: display, painter)
      let path = isDetaching ? \Layer.isDetached : \Layer.isSuspended
      layer.displaysAsynchronously = isAsynchronous
      layer[keyPath: path] = true
      layer.setNeedsDisplay()
      layer.displayIfNeeded()
      layer.displayNow()
      layer.waitUntilDisplayed()
      display.loop.run(.noWait)
      #expect(painter.trace.events == [])
      layer[keyPath: path] = false
      let isFinished = display.settle()
      #expect(isFinished)
      #expect(painter.trace.events == ["will 1", "draw 1", "did 1 displayed"])
    }
  }

  // D7, D5
  @Test("suspending cancels a display under way, and resuming displays the layer")
  func suspendsHalfWay() throws {
    try withDisplay { display in
      let painter = Painter()
      let layer = Layer(in: display, painter)
      let began = Gate()
      painter.work = { count, isCancelled in
        began.open()
        while count == 1, !isCancelled() {}
      }
      layer.setNeedsDisplay()
      display.loop.run(.noWait)
      #expect(began.wait())
      layer.isSuspended = true
      var isFinished = display.settle()
      #expect(isFinished)
      #expect(painter.trace.take() == ["will 1", "draw 1", "did 1 cancelled"])
      #expect(layer.needsDisplay)
      layer.isSuspended = false
      isFinished = display.settle()
      #expect(isFinished)
      #expect(painter.trace.take() == ["will 2", "draw 2", "did 2 displayed"])
    }
  }

  // D7, O9
  @Test("waiting boosts the display above all other work, and the waiting thread draws it")
  func waits() throws {
    try withDisplay(workers: 1) { display in
      let (gate, began) = (Gate(), Gate())
      let painter = Painter()
      display.scheduler.add { [trace = painter.trace] _ in
        began.open()
        if !gate.wait() { trace.record("a worker drew it") }
      }
      #expect(began.wait())
      let layer = Layer(in: display, painter)
      layer.priority = .background
      layer.setNeedsDisplay()
      display.loop.run(.noWait)
      // Every worker is busy until the test ends, so the waiting thread must
      // draw.
      layer.waitUntilDisplayed()
      #expect(painter.trace.events == ["will 1", "draw 1", "did 1 displayed"])
      #expect(layer.contents != nil)
      gate.open()
    }
  }

  // D7
  @Test("waiting inside a didDisplay for a layer of the same container returns")
  func waitsWithinDid() throws {
    try withDisplay { display in
      let container = TransactionContainer(
        on: display.loop,
        collects: true,
        scheduler: display.scheduler
      )
      let trace = Trace()
      let painters = [Painter(trace, name: "a "), Painter(trace, name: "b ")]
      let layers = painters.map { Layer(in: display, $0) }
      for layer in layers { layer.container = container }
      painters[0].onDid = { _ in
        layers[1].waitUntilDisplayed()
        trace.record("waited")
      }
      for layer in layers { layer.setNeedsDisplay() }
      let isFinished = display.settle()
      #expect(isFinished)
      #expect(
        trace.events.filter { !$0.contains("draw") } == [
          "a will 1", "b will 1", "a did 1 displayed", "b did 1 displayed", "waited",
        ]
      )
      #expect(display.metrics.inFlightBytes == 0)
      painters[0].onDid = nil
    }
  }

  // O7
  @Test("layers of one container appear together")
  func appearsTogether() throws {
    try withDisplay { display in
      let container = TransactionContainer(
        on: display.loop,
        collects: true,
        scheduler: display.scheduler
      )
      let painters = [Painter(), Painter()]
      let layers = painters.map { Layer(in: display, $0) }
      let (gate, drawn) = (Gate(), Gate())
      painters[0].work = { _, _ in gate.wait() }
      painters[1].work = { _, _ in drawn.open() }
      for layer in layers {
        layer.container = container
        layer.setNeedsDisplay()
      }
      display.loop.run(.noWait)
      #expect(drawn.wait())
      display.loop.run(.noWait)
      #expect(layers[1].contents == nil)
      painters[0].onDid = { _ in #expect(layers[1].contents == nil) }
      painters[1].onDid = { _ in #expect(layers[0].contents != nil) }
      gate.open()
      let isFinished = display.settle()
      #expect(isFinished)
      #expect(layers.allSatisfy { $0.contents != nil })
      painters[0].onDid = nil
      painters[1].onDid = nil
    }
  }

  // D8
  @Test("bitmaps in flight stay within the limit, and higher priorities come first")
  func inFlightLimit() throws {
    // Each layer takes 64 bytes, so two layers fit.
    try withDisplay(workers: 1, inFlightLimit: 128) { display in
      let trace = Trace()
      let layers = (0..<6).map { number in
        let painter = Painter(trace, name: "\(number) ")
        let layer = Layer(in: display, painter)
        layer.priority = OperationPriority(number)
        layer.setNeedsDisplay()
        return (layer, painter)
      }
      let isFinished = display.settle()
      #expect(isFinished)
      #expect(display.metrics.peakInFlightBytes == 128)
      #expect(display.metrics.displayed == 6)
      let drawn = trace.events.filter { $0.contains("draw") }.map { $0.prefix(1) }
      #expect(drawn == ["5", "4", "3", "2", "1", "0"])
      #expect(layers.allSatisfy { $0.0.contents != nil })
    }
  }

  // D8
  @Test("a bitmap larger than the limit is displayed alone")
  func largerThanLimit() throws {
    try withDisplay(inFlightLimit: 10) { display in
      let painters = (0..<3).map { _ in Painter() }
      let layers = painters.map { Layer(in: display, $0) }
      for layer in layers { layer.setNeedsDisplay() }
      let isFinished = display.settle()
      #expect(isFinished)
      #expect(layers.allSatisfy { $0.contents != nil })
      #expect(display.metrics.peakInFlightBytes == 64)
      withExtendedLifetime(painters) {}
    }
  }

  // D14
  @Test("an asynchronous picture equals the synchronous one byte for byte")
  func sameBytes() throws {
    try withDisplay { display in
      let painter = Painter()
      let layer = Layer(in: display, painter)
      layer.size = Size(width: 33.3, height: 21.7)
      layer.scale = 3
      painter.color = Color(red: 0.3, green: 0.6, blue: 0.9, alpha: 0.7)
      layer.displayNow()
      let synchronous = layer.contents
      layer.setNeedsDisplay()
      let isFinished = display.settle()
      #expect(isFinished)
      let isSame = synchronous.flatMap { layer.contents?.hasSamePixels(as: $0) }
      #expect(isSame == true && layer.contents !== synchronous)
      withExtendedLifetime(painter) {}
    }
  }

  // D7, D8
  @Test("displays that need no memory in flight do not wait behind displays that need it")
  func needsNoMemory() throws {
    // Each layer takes 64 bytes. One layer and a small layer fit.
    try withDisplay(workers: 1, inFlightLimit: 80) { display in
      let gate = Gate()
      display.scheduler.add(priority: .interactive) { _ in gate.wait() }
      let painters = (0..<5).map { _ in Painter() }
      let layers = painters.map { Layer(in: display, $0) }
      layers[2].displaysAsynchronously = false
      layers[3].size = .zero
      layers[4].size = Size(width: 2, height: 2)
      for layer in layers { layer.setNeedsDisplay() }
      display.loop.run(.noWait)
      #expect(layers[0].isDisplaying && !layers[1].isDisplaying)
      #expect(layers[2].contents != nil && !layers[3].needsDisplay)
      // This layer would fit, but waits behind a larger layer that would
      // otherwise starve.
      #expect(!layers[4].isDisplaying && display.metrics.waiting == 2)
      gate.open()
      let isFinished = display.settle()
      #expect(isFinished && layers.allSatisfy { !$0.needsDisplay })
      #expect(display.metrics.peakInFlightBytes == 80 && display.metrics.waiting == 0)
      withExtendedLifetime(painters) {}
    }
  }
}
