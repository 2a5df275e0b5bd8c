private import CLoopbench
import LoopTransactions

extension EventLoop {
  /// Makes a loop that belongs to the calling thread, calls `body` with it and
  /// closes it.
  static func measuring(
    on make: () throws(UVError) -> EventLoop = { () throws(UVError) in try EventLoop() },
    _ body: (EventLoop) throws(PeerError) -> Void
  ) throws(PeerError) {
    do {
      let loop = try make()
      let outcome = Result { () throws(PeerError) in try body(loop) }
      try loop.close()
      try outcome.get()
    } catch let failure as PeerError {
      throw failure
    } catch {
      throw PeerError("\(error)")
    }
  }

  /// A C function that stops a loop. Its context is the loop's `address`.
  static let stopFunction: @convention(c) (UnsafeMutableRawPointer?) -> Void = { context in
    guard let context else { return }
    Unmanaged<EventLoop>.fromOpaque(context).takeUnretainedValue().stop()
  }

  /// The context to pass to `stopFunction`.
  var address: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }
}

/// The ticks and waits of a loop, for a trace.
final class LoopTicks {
  // loop only
  private var spans: [TraceSpan] = []
  private var began: UInt64 = 0

  /// Observes `loop` if `slice` is traced. Adds no observer otherwise.
  init(of loop: EventLoop, for slice: Slice) {
    guard slice.isTraced else { return }
    began = cl_now()
    loop.addObserver(for: [.beforeWaiting, .afterWaiting], order: .max) { [self] activity in
      let now = cl_now()
      let name = activity == .beforeWaiting ? "tick" : "waits"
      spans.append(TraceSpan(name: name, track: .ticks, began: began, ended: max(began, now)))
      began = now
    }
  }

  /// Adds the spans to the trace.
  func note(in slice: inout Slice) {
    for span in spans { slice.note(span.name, on: span.track, from: span.began, to: span.ended) }
  }
}
