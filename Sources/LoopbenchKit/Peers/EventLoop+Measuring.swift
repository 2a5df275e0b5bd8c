private import CLoopbench
import LoopTransactions

extension EventLoop {
  /// Makes a loop, lets `body` measure on it, and closes it: all on the calling
  /// thread, which is the loop's.
  static func measuring(
    on make: () throws(UVError) -> EventLoop = { () throws(UVError) in try EventLoop() },
    _ body: (EventLoop) throws(PeerFailure) -> Void
  ) throws(PeerFailure) {
    do {
      let loop = try make()
      let outcome = Result { () throws(PeerFailure) in try body(loop) }
      try loop.close()
      try outcome.get()
    } catch let failure as PeerFailure {
      throw failure
    } catch {
      throw PeerFailure("\(error)")
    }
  }

  /// A C function that stops the loop whose address it is told.
  static let stopFunction: @convention(c) (UnsafeMutableRawPointer?) -> Void = { context in
    guard let context else { return }
    Unmanaged<EventLoop>.fromOpaque(context).takeUnretainedValue().stop()
  }

  /// The loop as the context of `stopFunction`.
  var address: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }
}

/// When a loop's ticks began and when it waited, for a trace.
final class LoopTicks {
  // loop only
  private var spans: [TraceSpan] = []
  private var began: UInt64 = 0

  /// Observes `loop` if `slice` is traced; without a trace nothing is added.
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

  /// Adds what was seen to the trace.
  func note(in slice: inout Slice) {
    for span in spans { slice.note(span.name, on: span.track, from: span.began, to: span.ended) }
  }
}
