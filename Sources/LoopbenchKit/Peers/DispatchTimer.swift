private import CLoopbench
internal import Dispatch

/// `timer` by a dispatch timer source.
struct DispatchTimer: Peer {
  let name = "dispatch"
  let scenario = "timer"
  let series = TimerLoad.series
  let isReference = true
  let summary = "a strict DispatchSourceTimer, no leeway, repeating on its own, on a serial queue"
  let isStandard = false

  func measure(_ slice: inout Slice) throws(PeerFailure) {
    let cpu = Int32(slice.seats.loop ?? -1)
    try TimerLoad.measure(&slice, now: cl_now) { (first, count) throws(PeerFailure) in
      try follow(from: first, count, cpu: cpu)
    }
  }

  private func follow(
    from first: UInt64,
    _ count: Int,
    cpu: Int32
  ) throws(PeerFailure) -> [Int64] {
    let queue = DispatchQueue(label: "loopbench", qos: .userInitiated)
    let timer = DispatchSource.makeTimerSource(flags: .strict, queue: queue)
    let (gate, fires) = (try Gate(), TimerFires(count: count))
    timer.schedule(
      deadline: DispatchTime(uptimeNanoseconds: first),
      repeating: .nanoseconds(Int(TimerLoad.interval)),
      leeway: .nanoseconds(0)
    )
    // The cycle ends with the cancellation, which releases the handler.
    timer.setEventHandler {
      let now = cl_now()
      cl_thread_place(cpu)
      guard !fires.isComplete else { return }
      // At least the one it is called for: what is taken from it must stay above 0.
      let periods = max(1, Int(timer.data))
      let last = first + UInt64(fires.lateness.count + periods - 1) * TimerLoad.interval
      fires.record(lastDue: last, periods: periods, at: now)
      if fires.isComplete { gate.pass() }
    }
    timer.activate()
    gate.wait()
    timer.cancel()
    queue.sync {}
    return fires.lateness
  }
}
