private import CLoopbench
import LoopTransactions

extension Scenario {
  /// The cost of a tick without work.
  package static let idle = Scenario(
    name: "idle",
    summary: "a tick without work; a foreign idle handle keeps the loop from blocking",
    series: [
      Series(
        name: "tick",
        summary: "a sample is the mean of 1000 ticks: ns per tick",
        workload: Workload(warmUps: 2, samples: 30, operations: 1000)
      )
    ],
    references: ["uv", "hand"],
    floors: ["hand"],
    extras: [.difference],
    details: """
      A foreign idle handle keeps the loop from sleeping, so that empty ticks follow each other. A
      sample is the time of 1000 ticks.

        loop   tick 1  tick 2  tick 3  …  tick 1000
               ├──────────────────────────────────┤  divided by 1000

      The difference between `lt` and `uv` is the cost that an EventLoop adds to each tick of a libuv
      loop.
      """
  )
}

extension Slice {
  /// Measures the ticks of `loop`, a `uv_loop_t *`, in the same way for every
  /// peer.
  ///
  /// - Parameters:
  ///   - operations: The number of operations that each tick counts as.
  ///   - finish: Ends `runLoop` after the last tick of a sample.
  mutating func sampleTicks(
    of loop: UnsafeMutableRawPointer,
    each operations: Int = 1,
    to finish: CompletionCounter,
    runLoop: () -> Void
  ) throws(PeerError) {
    guard let idle = cl_idle_open(loop, finish.pointer) else { throw .noLoop }
    defer { cl_idle_close(idle) }
    try sample(workload.operations / operations, to: finish) { _ in runLoop() }
  }
}

/// `idle` on a bare libuv loop.
struct UVIdle: FullPeer {
  let name = "uv"
  let scenario = "idle"
  let isReference = true
  let summary = "C on libuv: a bare loop with the same foreign idle handle"

  func measure(_ slice: inout Slice) throws(PeerError) {
    try slice.sampleTicks(ofLoop: cl_uv_loop_open())
  }
}

extension Slice {
  /// Measures the ticks of `loop`, which has no other use, and closes it.
  fileprivate mutating func sampleTicks(ofLoop loop: UnsafeMutableRawPointer?) throws(PeerError) {
    guard let loop else { throw .noLoop }
    defer { cl_uv_loop_close(loop) }
    let finish = CompletionCounter(stop: cl_uv_loop_stop, context: loop)
    try sampleTicks(of: loop, to: finish) { cl_uv_loop_run(loop) }
  }
}

/// `idle` on a libuv loop with the callbacks of a runtime, written by hand.
struct HandIdle: FullPeer {
  let name = "hand"
  let scenario = "idle"
  let isReference = true
  let isStandard = false
  let summary = "C on libuv: two callbacks that look for work in each tick: a floor"

  func measure(_ slice: inout Slice) throws(PeerError) {
    try slice.sampleTicks(ofLoop: cl_hand_idle_open())
  }
}

/// `idle` on an `EventLoop` that has its own loop.
struct LTOwnIdle: FullPeer {
  let name = "lt.own"
  let scenario = "idle"
  let isStandard = false
  let summary = "EventLoop() with the same foreign idle handle on its libuvLoop"

  func measure(_ slice: inout Slice) throws(PeerError) {
    try EventLoop.measuring { (loop) throws(PeerError) in
      let finish = CompletionCounter(stop: EventLoop.stopFunction, context: loop.address)
      try slice.sampleTicks(of: loop.libuvLoop, to: finish) { loop.run() }
      // The idle handle was closed. A tick frees it.
      loop.run(.noWait)
    }
  }
}

/// `idle` on a loop that an `EventLoop` has adopted.
struct LTIdle: FullPeer {
  let name = "lt"
  let scenario = "idle"
  let summary = "EventLoop(adopting:) on a loop with the same foreign idle handle"

  func measure(_ slice: inout Slice) throws(PeerError) {
    guard let raw = cl_uv_loop_open() else { throw .noLoop }
    defer { cl_uv_loop_close(raw) }
    try EventLoop.measuring(on: { () throws(UVError) in try EventLoop(adopting: raw) }) {
      (loop) throws(PeerError) in
      let finish = CompletionCounter(stop: EventLoop.stopFunction, context: loop.address)
      try slice.sampleTicks(of: raw, to: finish) { loop.run() }
    }
  }
}
