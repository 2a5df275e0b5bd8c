import AsyncDisplay
import LoopTransactions
import Testing

@Suite("Reports of frames")
struct FrameTests {
  /// Calls `body` with a function that makes the next frame and returns its report.
  private func withFrames(
    workers: Int = 2,
    _ body: (Display, _ frame: () -> DisplayFrameReport?) throws -> Void
  ) throws {
    try withDisplay(workers: workers) { display in
      let clock = FrameClock(hostedOn: display.loop) {}
      var last: DisplayFrameReport?
      clock.frameHandler = { last = display.report(on: $0) }
      display.measuresDrawing = true
      try body(display) {
        clock.beginFrame()
        return last
      }
      clock.cancel()
    }
  }

  @Test("a report counts the displays since the previous report, and names the slowest")  // D18
  func shown() throws {
    try withFrames { display, frame in
      let (painter, slow) = (Painter(), Painter())
      slow.work = { _, _ in
        let end = LoopClock.now.advanced(by: .milliseconds(5))
        while LoopClock.now < end {}
      }
      let layers = [Layer(in: display, painter), Layer(in: display, slow)]
      layers[1].name = "slow one"
      for layer in layers { layer.setNeedsDisplay() }
      #expect(display.settle())
      let first = try #require(frame())
      #expect(first.displayed == 2 && first.cancelled == 0 && first.drawing == 0)
      #expect(first.slowest?.name == "slow one")
      #expect(first.slowest?.isFinished == true && first.slowest?.isOnLoop == false)
      #expect(first.slowest?.drew ?? .zero >= .milliseconds(5))
      let text = "\(first)"
      #expect(text.hasPrefix("frame 1 was in time; 2 displays shown; slowest slow one waited "))
      #expect(text.contains(" ms and was drawn for ") && text.hasSuffix(" ms"))
      let second = try #require(frame())
      #expect(second.displayed == 0 && second.slowest == nil)
      #expect("\(second)" == "frame 2 was in time; 0 displays shown")
    }
  }

  @Test("a display under way is the slowest of each frame until it is shown or cancelled")  // D18
  func drawing() throws {
    try withFrames(workers: 1) { display, frame in
      let (gate, began) = (Gate(), Gate())
      let (painter, waiting) = (Painter(), Painter())
      painter.work = { _, _ in
        began.open()
        gate.wait()
      }
      let layer = Layer(in: display, painter)
      layer.setNeedsDisplay()
      display.loop.run(.noWait)
      #expect(began.wait())
      let next = Layer(in: display, waiting)
      next.name = "next"
      next.setNeedsDisplay()
      display.loop.run(.noWait)
      let first = try #require(frame())
      #expect(first.drawing == 2 && first.displayed == 0)
      // Without a name, the type of the delegate.
      #expect(first.slowest?.name == "Painter" && first.slowest?.isFinished == false)
      #expect("\(first)".contains("0 displays shown, 2 drawing; slowest Painter waited "))
      #expect("\(first)".contains(" ms and has been drawn for "))
      layer.cancelDisplay()
      let second = try #require(frame())
      // The cancelled drawing has not stopped yet.
      #expect(second.cancelled == 0 && second.drawing == 2)
      #expect(second.slowest?.name == "next" && second.slowest?.drew == .zero)
      #expect("\(second)".hasSuffix("ms and is not drawn yet"))
      gate.open()
      #expect(display.settle())
      let third = try #require(frame())
      #expect(third.cancelled == 1 && third.displayed == 1 && third.drawing == 0)
      #expect(third.slowest?.name == "next")
    }
  }

  @Test("a layer that the loop draws is reported as drawn on the loop")  // D18
  func onLoop() throws {
    try withFrames { display, frame in
      let painter = Painter()
      let layer = Layer(in: display, painter)
      layer.displaysAsynchronously = false
      layer.setNeedsDisplay()
      #expect(display.settle())
      #expect(frame()?.slowest?.isOnLoop == true)
      withExtendedLifetime(painter) {}
    }
  }

  @Test("without measuresDrawing a report has the counts, and no slowest display")  // D18
  func off() throws {
    try withFrames { display, frame in
      display.measuresDrawing = false
      let painter = Painter()
      let layer = Layer(in: display, painter)
      layer.setNeedsDisplay()
      #expect(display.settle())
      let report = try #require(frame())
      #expect(report.displayed == 1 && report.slowest == nil)
    }
  }

  @Test("the number of bitmaps in flight counts displays until they are delivered")  // D8
  func inFlight() throws {
    try withDisplay { display in
      let gate = Gate()
      let painter = Painter()
      painter.work = { _, _ in gate.wait() }
      let layers = (0..<3).map { _ in Layer(in: display, painter) }
      for layer in layers { layer.setNeedsDisplay() }
      display.loop.run(.noWait)
      #expect(display.metrics.inFlight == 3)
      gate.open()
      #expect(display.settle())
      #expect(display.metrics.inFlight == 0)
    }
  }
}
