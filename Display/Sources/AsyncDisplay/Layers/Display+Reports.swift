public import LoopTransactions

// Reports of frames, and traces. D18.
extension Display {
  /// Whether displays are timed for `report(on:)`. Defaults to false.
  ///
  /// Use on the loop. When false, this costs nothing. When true, each display
  /// reads the clock four times and allocates one object. Applies to displays
  /// that begin later.
  public var measuresDrawing: Bool {
    get {
      check("Display.measuresDrawing")
      return meter != nil
    }
    set {
      check("Display.measuresDrawing")
      if newValue != (meter != nil) { meter = newValue ? DrawingMeter() : nil }
    }
  }

  /// Returns the displays since the previous report, together with `frame`.
  ///
  /// Call on the loop, once per frame, in the handler of the clock whose frames
  /// show the layers. The times of drawing are of the system's clock, also if
  /// the loop has a virtual one.
  ///
  /// ```swift
  /// display.measuresDrawing = true
  /// clock.frameHandler = { frame in
  ///   let report = display.report(on: frame)
  ///   if frame.frame.missed > 0 { print(report) }
  /// }
  /// ```
  ///
  /// - Complexity: O(n) in the displays under way.
  public func report(on frame: FrameReport) -> DisplayFrameReport {
    let metrics = metrics
    defer { reported = metrics }
    return DisplayFrameReport(
      frame,
      metrics,
      since: reported,
      slowest: meter?.takeSlowest()
    )
  }

  /// Records the counters of the memory in flight, if a trace runs.
  func traceInFlight() {
    LoopTrace.counter("bitmaps in flight", counts.inFlight)
    LoopTrace.counter("bytes of bitmaps in flight", counts.inFlightBytes)
  }
}

extension Layer {
  /// The name in traces and reports.
  var shownName: String { name ?? delegate.map { "\(type(of: $0))" } ?? "layer" }
}
