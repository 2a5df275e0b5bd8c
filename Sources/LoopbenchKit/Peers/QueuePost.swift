private import CLoopbench

/// `post` to whatever runs functions.
struct QueuePost<Queue: FunctionQueue>: Peer {
  let scenario = "post"
  let isStandard = false
  let isReference = true

  var name: String { Queue.name }
  var summary: String { Queue.summary }
  var unavailability: String? { Queue.unavailability }

  var series: [String] { Queue.postSeries }

  func measure(_ slice: inout Slice) throws(PeerFailure) {
    guard series.contains(slice.series) else { throw slice.unknownSeries }
    let stop = HandOff<Queue>()
    let stopper = Caller { stop.value?.stop() }
    let finish = FinishLine(stop: Caller.call, context: stopper.address)
    try Queue.using(cpu: slice.seats.loop) { (queue) throws(PeerFailure) in
      stop.value = queue
      if slice.series.hasSuffix(".self") {
        try toSelf(queue, &slice, finish)
      } else {
        try across(queue, &slice, finish)
      }
    }
    // The queue is closed: no step is under way that could touch them.
    withExtendedLifetime((stopper, finish)) {}
  }

  private func across(
    _ queue: Queue,
    _ slice: inout Slice,
    _ finish: FinishLine
  ) throws(PeerFailure) {
    let (cpu, items) = (slice.seats.producer, slice.effort.operations)
    let step = Shared(UnsafeMutableRawPointer(finish.pointer))
    try slice.sample { (_) throws(PeerFailure) in
      finish.reset(target: items)
      return try PostBurst.nanoseconds(producerCPU: cpu, finish: finish) {
        for _ in 0..<items { queue.post(cl_finish_step, context: step.value) }
      } runLoop: {
        queue.run()
      }
    }
  }

  /// The burst is posted by a function that the queue runs.
  private func toSelf(
    _ queue: Queue,
    _ slice: inout Slice,
    _ finish: FinishLine
  ) throws(PeerFailure) {
    let began = HandOff<UInt64>()
    let items = slice.effort.operations
    let step = Shared(UnsafeMutableRawPointer(finish.pointer))
    let burst = Caller {
      began.value = cl_now()
      for _ in 0..<items { queue.post(cl_finish_step, context: step.value) }
    }
    try slice.sample { (_) throws(PeerFailure) in
      finish.reset(target: items)
      queue.post(Caller.call, context: burst.address)
      queue.run()
      return try finish.nanoseconds(since: began.value ?? .max)
    }
    withExtendedLifetime(burst) {}
  }
}
