private import CLoopbench
import LoopTransactions

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
