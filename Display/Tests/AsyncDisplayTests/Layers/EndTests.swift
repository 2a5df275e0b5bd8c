@testable import AsyncDisplay
import LoopTransactions
import LoopTransactionsTesting
import Testing

@Suite("Ends of displays")
struct EndTests {
  // D2, D3
  @Test("a synchronous display overtakes an asynchronous display, whose didDisplay is called first")
  func overtaken() throws {
    try withDisplay { display in
      let painter = Painter()
      let layer = Layer(in: display, painter)
      let (began, gate) = (Gate(), Gate())
      painter.work = { _, _ in
        began.open()
        gate.wait()
      }
      layer.setNeedsDisplay()
      display.loop.run(.noWait)
      #expect(began.wait())
      painter.work = nil
      painter.color = Color(red: 0, green: 0, blue: 1)
      layer.displayNow()
      #expect(
        painter.trace.take() == [
          "will 1", "draw 1", "will 2", "draw 2", "did 1 cancelled", "did 2 displayed",
        ]
      )
      gate.open()
      #expect(display.settle())
      #expect(painter.trace.take() == [])
      #expect(layer.contents?.firstPixel == 0xFF00_00FF)
      #expect(!layer.needsDisplay)
    }
  }

  // D2
  @Test("releasing a layer cancels its drawing and calls didDisplay on the loop")
  func layerGone() throws {
    try withDisplay { display in
      let painter = Painter()
      var layer: Layer? = Layer(in: display, painter)
      let (began, loop) = (Gate(), ThreadName())
      painter.work = { _, isCancelled in
        began.open()
        while !isCancelled() {}
      }
      painter.onDid = { _ in #expect(loop.isCurrent) }
      layer?.setNeedsDisplay()
      display.loop.run(.noWait)
      #expect(began.wait())
      weak let gone = layer
      layer = nil
      #expect(gone == nil)
      #expect(display.settle())
      #expect(painter.trace.events == ["will 1", "draw 1", "did 1 cancelled"])
    }
  }

  // D1
  @Test("willDisplay and didDisplay receive the layer, and didDisplay nil if it was released")
  func receivesLayer() throws {
    try withDisplay { display in
      let teller = Teller()
      let layers = (0..<2).map { _ in Layer(in: display) }
      for isAsynchronous in [true, false] {
        for layer in layers {
          (layer.delegate, layer.size) = (teller, Size(width: 4, height: 4))
          layer.displaysAsynchronously = isAsynchronous
          layer.setNeedsDisplay()
          layer.waitUntilDisplayed()
          #expect(teller.take() == Teller.names(layer))
        }
      }
      layers[1].size = .zero
      layers[1].displayNow()
      #expect(teller.take() == Teller.names(layers[1]))
      teller.invalidatesInWill = true
      layers[0].displayNow()
      #expect(teller.take() == Teller.names(layers[0]))
      #expect(layers[0].needsDisplay)
      teller.invalidatesInWill = false
      #expect(display.settle())
      _ = teller.take()
      let lost = displayAndRelease(teller, in: display)
      #expect(display.settle())
      #expect(teller.take() == [lost, nil])
    }
  }

  // Returns the identifier of a layer that is released during its display.
  private func displayAndRelease(_ teller: Teller, in display: Display) -> ObjectIdentifier {
    let layer = Layer(in: display)
    (layer.delegate, layer.size) = (teller, Size(width: 4, height: 4))
    layer.setNeedsDisplay()
    layer.displayIfNeeded()
    return ObjectIdentifier(layer)
  }

  // D2
  @Test("didDisplay receives the error of a drawing that throws, and the old contents stay visible")
  func throwing() throws {
    try withDisplay { display in
      let painter = Painter()
      let layer = Layer(in: display, painter)
      layer.displayNow()
      let old = layer.contents
      painter.work = { _, _ in throw CancellationError() }
      layer.setNeedsDisplay()
      #expect(display.settle())
      #expect(painter.trace.events.last == "did 2 failed CancellationError()")
      #expect(layer.contents === old)
      #expect(!layer.needsDisplay)
    }
  }

  // D2
  @Test(
    "a display fails if there is no memory for its bitmap, in both modes",
    arguments: [true, false]
  )
  func noMemory(_ isAsynchronous: Bool) throws {
    try withDisplay(pool: .failing(above: 0)) { display in
      let painter = Painter()
      let layer = Layer(in: display, painter)
      layer.displaysAsynchronously = isAsynchronous
      layer.setNeedsDisplay()
      #expect(display.settle())
      #expect(painter.trace.events == ["will 1", "did 1 failed noMemory(byteCount: 64)"])
    }
  }

  // D2
  @Test("closing the loop calls didDisplay for displays under way")
  func closing() throws {
    let loop = try EventLoop()
    let display = Display(on: loop, scheduler: OperationScheduler("closing", workerLimit: 1))
    let painter = Painter()
    let layer = Layer(in: display, painter)
    let began = Gate()
    painter.work = { _, isCancelled in
      began.open()
      while !isCancelled() {}
    }
    layer.setNeedsDisplay()
    loop.run(.noWait)
    #expect(began.wait())
    try loop.close()
    #expect(painter.trace.events == ["will 1", "draw 1", "did 1 cancelled"])
    #expect(layer.needsDisplay)
  }

  // D2, D3
  @Test("a display that a didDisplay begins ends after it, and no older display ends later")
  func displaysWithinDid() throws {
    try withDisplay { display in
      let painter = Painter()
      let layer = Layer(in: display, painter)
      let began = Gate()
      painter.work = { count, isCancelled in
        began.open()
        while count == 1, !isCancelled() {}
      }
      painter.onDid = { [unowned layer, unowned painter] outcome in
        guard case .cancelled = outcome else { return }
        painter.color = .blue
        layer.displayNow()
        #expect(layer.contents?.firstPixel == 0xFF00_00FF)
      }
      layer.setNeedsDisplay()
      display.loop.run(.noWait)
      #expect(began.wait())
      layer.displayNow()
      #expect(layer.contents?.firstPixel == 0xFF00_00FF)
      let isFinished = display.settle()
      #expect(isFinished)
      let dids = painter.trace.events.filter { $0.hasPrefix("did") }
      #expect(dids == ["did 1 cancelled", "did 2 displayed", "did 3 displayed"])
    }
  }
}

/// A delegate that records the layers that its callbacks receive.
private final class Teller: LayerDelegate {
  var invalidatesInWill = false
  private var layers: [ObjectIdentifier?] = []

  /// The layers that the two callbacks of one display receive.
  static func names(_ layer: Layer) -> [ObjectIdentifier?] {
    [ObjectIdentifier(layer), ObjectIdentifier(layer)]
  }

  /// Returns the layers of all callbacks since the last call.
  func take() -> [ObjectIdentifier?] {
    defer { layers = [] }
    return layers
  }

  func displayTask(for _: Layer) -> DisplayTask? {
    DisplayTask(
      willDisplay: { [self] layer in
        layers.append(ObjectIdentifier(layer))
        if invalidatesInWill { layer.setNeedsDisplay() }
      },
      didDisplay: { [self] layer, _ in layers.append(layer.map { ObjectIdentifier($0) }) },
      display: { context, size, _ in context.fill(Rect(size: size), with: .red) }
    )
  }
}
