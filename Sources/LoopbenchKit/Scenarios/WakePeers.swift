private import CLoopbench
import LoopTransactions

/// `wake` in C.
struct CWake: Peer {
  let name: String
  let scenario = "wake"
  let series = WakeLoad.series
  let isReference = true
  let summary: String
  fileprivate let functions: cl_wake_functions
  fileprivate let failure: PeerError

  static let uv = CWake(
    name: "uv",
    summary: "C on libuv: uv_async_send and its callback",
    functions: cl_uv_wake,
    failure: .noLoop
  )

  /// A wake without a loop. It is the floor for loops that sleep in epoll.
  static let eventfd = CWake(
    name: "eventfd",
    summary: "C: write to an eventfd, epoll_wait and read; no loop: a floor",
    functions: cl_eventfd_wake,
    failure: .noDescriptor
  )

  var unavailability: String? { functions.open == nil ? "\(name) is Linux's" : nil }

  func measure(_ slice: inout Slice) throws(PeerError) {
    let pings = WakePings(workload: slice.workload)
    guard let peer = functions.open?(pings.pointer) else { throw failure }
    defer { functions.close(peer) }
    let shared = UnsafeTransfer(peer)
    try pings.measure(
      &slice,
      send: functions.send,
      context: peer,
      stop: { functions.stop(shared.value) },
      runLoop: { functions.run(peer) }
    )
  }
}

/// `wake` through a `LoopPort`.
struct LTWake: Peer {
  let name = "lt"
  let scenario = "wake"
  let series = WakeLoad.series
  let summary = "LoopPort.post(function, context) to a sleeping loop"

  func measure(_ slice: inout Slice) throws(PeerError) {
    let pings = WakePings(workload: slice.workload)
    try EventLoop.measuring { (loop) throws(PeerError) in
      let port = loop.port
      loop.waitsForPosts = true
      let ticks = LoopTicks(of: loop, for: slice)
      let answer = UnsafeTransfer(UnsafeMutableRawPointer(pings.pointer))
      // try?: a post fails only on a closed loop, and the loop is closed after
      // the producer was joined.
      let sender = CallbackBox { try? port.post(cl_wake_answer, context: answer.value) }
      try pings.measure(
        &slice,
        send: CallbackBox.call,
        context: sender.address,
        stop: { port.stop() },
        runLoop: { loop.run() }
      )
      withExtendedLifetime(sender) {}
      ticks.note(in: &slice)
    }
  }
}

extension PeerError {
  static let noDescriptor = PeerError(
    "could not open an eventfd, timerfd, socket or epoll; check the descriptor limit (ulimit -n)"
  )
}

/// `wake` with any ``FunctionQueue``.
public struct QueueWake<Runner: FunctionQueue>: RunnerPeer {
  /// `wake`.
  public let scenario = "wake"
  /// The series of `wake`.
  public let series = WakeLoad.series
  /// Whether a run that names no peers measures the queue.
  public var isStandard: Bool { Runner.isStandard }

  /// Makes the peer.
  public init() {}

  /// Measures the queue.
  public func measure(_ slice: inout Slice) throws(PeerError) {
    let pings = WakePings(workload: slice.workload)
    try Runner.open(cpu: slice.seats.loop).closing { (queue) throws(PeerError) in
      let answer = UnsafeTransfer(UnsafeMutableRawPointer(pings.pointer))
      let sender = CallbackBox { queue.post(cl_wake_answer, context: answer.value) }
      try pings.measure(
        &slice,
        send: CallbackBox.call,
        context: sender.address,
        stop: { queue.stop() },
        runLoop: { queue.run() }
      )
      withExtendedLifetime(sender) {}
    }
    // The queue has been closed, so no answer uses the pings any longer.
    withExtendedLifetime(pings) {}
  }
}
