private import CLoopbench
import LoopTransactions

/// `drain` by a `RunLoopQueue`.
struct LTDrain: Peer {
  let name = "lt"
  let scenario = "drain"
  let series = DrainLoad.series
  let summary = "RunLoopQueue: exclusive, strong; its handler is told each object"

  func measure(_ slice: inout Slice) throws(PeerFailure) {
    try EventLoop.measuring { (loop) throws(PeerFailure) in
      let ticks = LoopTicks(of: loop, for: slice)
      let finish = FinishLine(stop: EventLoop.stopFunction, context: loop.address)
      let objects = ObjectList(count: slice.effort.operations) { _ in Object() }
      let queue = RunLoopQueue<Object>(
        on: loop,
        batchSize: BatchSize(DrainLoad.batch(for: slice))
      ) { object, _ in
        cl_black_hole(Unmanaged.passUnretained(object).toOpaque())
        cl_finish_step(finish.pointer)
      }
      try slice.sample { (_) throws(PeerFailure) in
        try burst(of: objects, into: queue, loop, finish)
      }
      ticks.note(in: &slice)
    }
  }

  private func burst(
    of objects: ObjectList<Object>,
    into queue: RunLoopQueue<Object>,
    _ loop: EventLoop,
    _ finish: FinishLine
  ) throws(PeerFailure) -> UInt64 {
    finish.reset(target: objects.count)
    let began = cl_now()
    objects.forEach { queue.enqueue($0) }
    loop.run()
    return try finish.nanoseconds(since: began)
  }
}

private final class Object {}
