private import CLoopbench
import LoopTransactions

/// `wake` in C on libuv.
struct UVWake: Peer {
  let name = "uv"
  let scenario = "wake"
  let series = WakeLoad.series
  let isReference = true
  let summary = "C on libuv: uv_async_send and its callback"

  func measure(_ slice: inout Slice) throws(PeerFailure) {
    let pings = try WakePings(effort: slice.effort)
    guard let peer = cl_uv_wake_open(pings.pointer) else { throw .noLoop }
    defer { cl_uv_wake_close(peer) }
    let shared = UnsafeTransfer(peer)
    try pings.measure(
      &slice,
      send: cl_uv_wake_send,
      context: UnsafeMutableRawPointer(peer),
      stop: { cl_uv_wake_stop(shared.value) },
      runLoop: { cl_uv_wake_run(peer) }
    )
  }
}

/// `wake` through a `LoopPort`.
struct LTWake: Peer {
  let name = "lt"
  let scenario = "wake"
  let series = WakeLoad.series
  let summary = "LoopPort.post(function, context) to a loop that sleeps"

  func measure(_ slice: inout Slice) throws(PeerFailure) {
    let pings = try WakePings(effort: slice.effort)
    try EventLoop.measuring { (loop) throws(PeerFailure) in
      let port = loop.port
      loop.waitsForPosts = true
      let ticks = LoopTicks(of: loop, for: slice)
      let sender = Sender(port: port, pings: UnsafeMutableRawPointer(pings.pointer))
      try pings.measure(
        &slice,
        send: Sender.send,
        context: Unmanaged.passUnretained(sender).toOpaque(),
        stop: { port.stop() },
        runLoop: { loop.run() }
      )
      withExtendedLifetime(sender) {}
      ticks.note(in: &slice)
    }
  }
}

/// What the producer's thread needs to send a ping.
private final class Sender {
  private let port: LoopPort
  private let pings: UnsafeMutableRawPointer

  init(port: LoopPort, pings: UnsafeMutableRawPointer) {
    self.port = port
    self.pings = pings
  }

  static let send: @convention(c) (UnsafeMutableRawPointer?) -> Void = { context in
    guard let context else { return }
    Unmanaged<Sender>.fromOpaque(context)._withUnsafeGuaranteedRef { sender in
      // The loop is closed after the producer was joined: it refuses nothing.
      try? sender.port.post(cl_wake_answer, context: sender.pings)
    }
  }
}

/// `wake` by an eventfd: the floor under a loop that sleeps in epoll.
struct EventFDWake: Peer {
  let name = "eventfd"
  let scenario = "wake"
  let series = WakeLoad.series
  let isReference = true
  let summary = "C: write to an eventfd, epoll_wait and read; no loop: the floor"

  var unavailability: String? { cl_eventfd_is_available() ? nil : "eventfd is Linux's" }

  func measure(_ slice: inout Slice) throws(PeerFailure) {
    let pings = try WakePings(effort: slice.effort)
    guard let peer = cl_eventfd_open(pings.pointer) else { throw .noDescriptor }
    defer { cl_eventfd_close(peer) }
    let shared = UnsafeTransfer(peer)
    try pings.measure(
      &slice,
      send: cl_eventfd_send,
      context: UnsafeMutableRawPointer(peer),
      stop: { cl_eventfd_stop(shared.value) },
      runLoop: { cl_eventfd_run(peer) }
    )
  }
}

extension PeerFailure {
  static let noDescriptor = PeerFailure(
    "the system opened no eventfd, timerfd or epoll; is the process out of descriptors (ulimit -n)?"
  )
}

/// `wake` of whatever runs functions.
struct QueueWake<Queue: FunctionQueue>: Peer {
  let scenario = "wake"
  let series = WakeLoad.series
  let isReference = true
  let isStandard = false

  var name: String { Queue.name }
  var summary: String { Queue.summary }
  var unavailability: String? { Queue.unavailability }

  func measure(_ slice: inout Slice) throws(PeerFailure) {
    let pings = try WakePings(effort: slice.effort)
    try Queue.using(cpu: slice.seats.loop) { (queue) throws(PeerFailure) in
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
    // The queue is closed: no answer is under way that could touch them.
    withExtendedLifetime(pings) {}
  }
}
