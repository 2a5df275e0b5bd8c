private import CLoopbench
import LoopTransactions

/// `post` through a loop's port.
struct LTPost: Peer {
  let name = "lt"
  let scenario = "post"
  let series = PostLoad.series
  let summary = "LoopPort.post of a function and context, of a closure, and LoopPort.commit"

  func measure(_ slice: inout Slice) throws(PeerFailure) {
    try LTLoop.with { (loop) throws(PeerFailure) in try measure(on: loop, &slice) }
  }

  private func measure(on loop: EventLoop, _ slice: inout Slice) throws(PeerFailure) {
    let load = PostedLoad(series: slice.series, port: loop.port)
    if slice.series.hasSuffix(".self") {
      slice.sample { operations in postToSelf(operations, load, loop) }
      return
    }
    let cpu = slice.seats.producer
    try slice.sample { (operations) throws(PeerFailure) in
      try postAcross(operations, load, loop, producerCPU: cpu)
    }
  }

  private func postToSelf(_ items: Int, _ load: PostedLoad, _ loop: EventLoop) -> UInt64 {
    load.finish.reset(target: items)
    let began = cl_now()
    load.post(items)
    loop.run(.noWait)
    return load.finish.finished - began
  }

  private func postAcross(
    _ items: Int, _ load: PostedLoad, _ loop: EventLoop, producerCPU: Int?
  ) throws(PeerFailure) -> UInt64 {
    load.finish.reset(target: items)
    return try PostBurst.nanoseconds(producerCPU: producerCPU, finish: load.finish) {
      load.post(items)
    } runLoop: {
      loop.run()
    }
  }
}

/// The things one series posts. The last item stops the loop.
private final class PostedLoad: @unchecked Sendable {
  // @unchecked: the finish line is written on the loop's thread, and read after
  // it; the rest are constants.

  let finish: FinishLine
  private let series: String
  private let port: LoopPort
  private let target = PostedTarget()

  init(series: String, port: LoopPort) {
    self.series = series
    self.port = port
    finish = FinishLine(stop: stopPosted, context: Unmanaged.passUnretained(port).toOpaque())
  }

  /// Posts `items` things.
  func post(_ items: Int) {
    switch series.prefix(while: { $0 != "." }) {
    case "typed": postTyped(items)
    case "closure": postClosures(items)
    default: commit(items)
    }
  }

  private func postTyped(_ items: Int) {
    let finish = finish.pointer
    for _ in 0..<items { accept { () throws(LoopPort.Refusal) in
      try port.post(cl_finish_step, context: finish)
    } }
  }

  private func postClosures(_ items: Int) {
    let finish = Shared(finish.pointer)
    for _ in 0..<items { accept { () throws(LoopPort.Refusal) in
      try port.post { cl_finish_step(finish.value) }
    } }
  }

  // A commit is coalesced when it is taken; one item behind the last of them
  // tells that all have been.
  private func commit(_ items: Int) {
    cl_finish_reset(finish.pointer, 1)
    for _ in 0..<items { accept { () throws(LoopPort.Refusal) in
      try port.commit(target, PostedTarget.nothing)
    } }
    accept { () throws(LoopPort.Refusal) in
      try port.post(cl_finish_step, context: finish.pointer)
    }
  }

  @inline(__always)
  private func accept(_ post: () throws(LoopPort.Refusal) -> Void) {
    do { try post() } catch { preconditionFailure("LTPost: an open loop takes posts") }
  }
}

private final class PostedTarget: Sendable {
  static let nothing = Selector<PostedTarget>("nothing") { _ in }
}

private func stopPosted(_ port: UnsafeMutableRawPointer?) {
  guard let port else { return }
  Unmanaged<LoopPort>.fromOpaque(port).takeUnretainedValue().stop()
}
