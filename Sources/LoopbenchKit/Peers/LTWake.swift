private import CLoopbench
import LoopTransactions

/// `wake` by a post through a loop's port.
struct LTWake: Peer {
  let name = "lt"
  let scenario = "wake"
  let series = WakeLoad.series
  let summary = "LoopPort.post of a function and context to a loop that sleeps"

  func measure(_ slice: inout Slice) throws(PeerFailure) {
    let pings = try WakePings(effort: slice.effort)
    try LTLoop.with { (loop) throws(PeerFailure) in
      let port = loop.port
      let sender = Sender(port: port, pings: UnsafeMutableRawPointer(pings.pointer))
      try pings.measure(
        &slice,
        send: sendPing,
        context: Unmanaged.passUnretained(sender).toOpaque(),
        stop: { port.stop() },
        runLoop: { loop.run() }
      )
      withExtendedLifetime(sender) {}
    }
  }
}

private final class Sender {
  let port: LoopPort
  let pings: UnsafeMutableRawPointer

  init(port: LoopPort, pings: UnsafeMutableRawPointer) {
    self.port = port
    self.pings = pings
  }
}

private func sendPing(_ sender: UnsafeMutableRawPointer?) {
  guard let sender else { return }
  Unmanaged<Sender>.fromOpaque(sender)._withUnsafeGuaranteedRef { sender in
    do { try sender.port.post(answerPing, context: sender.pings) } catch {
      preconditionFailure("LTWake: an open loop takes posts")
    }
  }
}

private func answerPing(_ pings: UnsafeMutableRawPointer?) { cl_wake_answer(pings) }
