private import CLoopbench
import LoopTransactions

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
