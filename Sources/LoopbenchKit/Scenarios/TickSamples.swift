private import CLoopbench

/// The foreign idle handle that times the ticks of `idle`, the same for every
/// peer.
package final class TickSamples {
  private let samples: UnsafeMutableBufferPointer<UInt64>
  private let effort: Effort

  /// Makes room for the samples that `effort` asks for.
  package init(effort: Effort) {
    self.effort = effort
    samples = .allocate(capacity: effort.warmUps + effort.samples)
    samples.initialize(repeating: 0)
  }

  deinit {
    samples.deallocate()
  }

  /// Measures a slice.
  ///
  /// - Parameters:
  ///   - loop: A `uv_loop_t *`.
  ///   - done: Called on the loop, with `context`, after the last tick: ends
  ///     `runLoop`.
  package func measure(
    _ slice: inout Slice,
    loop: UnsafeMutableRawPointer,
    done: @escaping @convention(c) (UnsafeMutableRawPointer?) -> Void,
    context: UnsafeMutableRawPointer?,
    runLoop: () throws(PeerFailure) -> Void
  ) throws(PeerFailure) {
    guard
      let start = samples.baseAddress,
      let ticker = cl_ticker_open(
        loop,
        UInt32(effort.operations),
        start,
        UInt32(samples.count),
        done,
        context
      )
    else { throw .noLoop }
    defer { cl_ticker_close(ticker) }
    try runLoop()
    for nanoseconds in samples.dropFirst(effort.warmUps) {
      slice.record(nanoseconds: Double(nanoseconds) / Double(effort.operations))
    }
  }
}
