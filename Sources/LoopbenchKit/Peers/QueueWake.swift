private import CLoopbench

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
      let answer = Shared(UnsafeMutableRawPointer(pings.pointer))
      let sender = Caller { queue.post(cl_wake_answer, context: answer.value) }
      try pings.measure(
        &slice,
        send: Caller.call,
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
