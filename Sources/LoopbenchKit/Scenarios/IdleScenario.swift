private import CLoopbench
import LoopTransactions

extension Scenario {
  /// What a tick costs when there is nothing to do.
  package static let idle = Scenario(
    name: "idle",
    summary: "a tick with nothing to do, kept from blocking by a foreign idle handle",
    series: [
      Series(
        name: "tick",
        summary: "a sample is the mean of 1000 ticks: ns per tick",
        effort: Effort(warmUps: 2, samples: 30, operations: 1000)
      )
    ],
    extras: [.difference],
    details: """
      A foreign idle handle keeps the loop from sleeping, so that ticks follow each other with nothing
      in them. What is timed is how long 1000 of them take.

        loop   tick 1  tick 2  tick 3  …  tick 1000
               ├──────────────────────────────────┤  divided by 1000

      The difference between `lt` and `uv` is what an EventLoop adds to each tick of a libuv loop.
      """
  )
}

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

/// `idle` on a bare libuv loop.
struct UVIdle: Peer {
  let name = "uv"
  let scenario = "idle"
  let series = ["tick"]
  let isReference = true
  let summary = "C on libuv: a bare loop with the same foreign idle handle"

  func measure(_ slice: inout Slice) throws(PeerFailure) {
    guard let loop = cl_uv_loop_open() else { throw .noLoop }
    defer { cl_uv_loop_close(loop) }
    try TickSamples(effort: slice.effort).measure(
      &slice,
      loop: loop,
      done: cl_uv_loop_stop,
      context: loop,
      runLoop: { cl_uv_loop_run(loop) }
    )
  }
}

/// `idle` on a loop that an `EventLoop` has adopted.
struct LTIdle: Peer {
  let name = "lt"
  let scenario = "idle"
  let series = ["tick"]
  let summary = "EventLoop(adopting:) on a loop with the same foreign idle handle"

  func measure(_ slice: inout Slice) throws(PeerFailure) {
    guard let raw = cl_uv_loop_open() else { throw .noLoop }
    defer { cl_uv_loop_close(raw) }
    try EventLoop.measuring(on: { () throws(UVError) in try EventLoop(adopting: raw) }) {
      (loop) throws(PeerFailure) in
      try TickSamples(effort: slice.effort).measure(
        &slice,
        loop: raw,
        done: EventLoop.stopFunction,
        context: loop.address,
        runLoop: { loop.run() }
      )
    }
  }
}
