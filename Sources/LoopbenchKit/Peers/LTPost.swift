private import CLoopbench
import LoopTransactions

/// `post` through a `LoopPort`.
struct LTPost: Peer {
  let name = "lt"
  let scenario = "post"
  let series = PostLoad.series
  let summary = "LoopPort: post(function, context), post(closure), commit(target, selector)"

  func measure(_ slice: inout Slice) throws(PeerFailure) {
    try EventLoop.measuring { (loop) throws(PeerFailure) in
      switch slice.series {
      case "typed.across": try across(loop, &slice, Self.typedBurst)
      case "closure.across": try across(loop, &slice, Self.closureBurst)
      case "commit.across": try across(loop, &slice, Self.coalescedBurst)
      case "typed.self": try toSelf(loop, &slice, Self.typedBurst)
      case "closure.self": try toSelf(loop, &slice, Self.closureBurst)
      case "commit.self": try toSelf(loop, &slice, Self.distinctBurst)
      default: throw slice.unknownSeries
      }
    }
  }
}

/// Items to hand over, and how often they step to the finish line.
private struct Burst {
  let steps: Int
  let produce: @Sendable () -> Void
}

extension LTPost {
  private typealias MakeBurst = (_ items: Int, LoopPort, FinishLine) -> Burst

  private func across(
    _ loop: EventLoop,
    _ slice: inout Slice,
    _ makeBurst: MakeBurst
  ) throws(PeerFailure) {
    let port = loop.port
    loop.waitsForPosts = true
    let finish = FinishLine(stop: EventLoop.stopFunction, context: loop.address)
    let (cpu, items) = (slice.seats.producer, slice.effort.operations)
    let burst = makeBurst(items, port, finish)
    try slice.sample { (_) throws(PeerFailure) in
      finish.reset(target: burst.steps)
      return try PostBurst.nanoseconds(
        producerCPU: cpu,
        finish: finish,
        produce: burst.produce
      ) {
        loop.run()
      }
    }
  }

  private func toSelf(
    _ loop: EventLoop,
    _ slice: inout Slice,
    _ makeBurst: MakeBurst
  ) throws(PeerFailure) {
    let finish = FinishLine()
    let burst = makeBurst(slice.effort.operations, loop.port, finish)
    try slice.sample { (_) throws(PeerFailure) in
      finish.reset(target: burst.steps)
      let began = cl_now()
      burst.produce()
      // One tick, unless the machine was busy elsewhere: past the tick's budget
      // what is left is carried over.
      repeat { loop.run(.noWait) } while finish.finished == 0
      return try finish.nanoseconds(since: began)
    }
  }
}

// `try?` in what follows: a loop refuses nothing before it is closed, and it is
// closed after the last burst.
extension LTPost {
  private static func typedBurst(_ items: Int, _ port: LoopPort, _ finish: FinishLine) -> Burst {
    let finish = Shared(UnsafeMutableRawPointer(finish.pointer))
    return Burst(steps: items) {
      for _ in 0..<items { try? port.post(cl_finish_step, context: finish.value) }
    }
  }

  private static func closureBurst(_ items: Int, _ port: LoopPort, _ finish: FinishLine) -> Burst {
    let finish = Shared(finish.pointer)
    return Burst(steps: items) {
      for _ in 0..<items { try? port.post { cl_finish_step(finish.value) } }
    }
  }

  /// Commits of as many targets.
  private static func distinctBurst(_ items: Int, _ port: LoopPort, _ finish: FinishLine) -> Burst {
    let targets = ObjectList(count: items) { _ in PostTarget(finish: finish.pointer) }
    let shared = Shared(targets)
    return Burst(steps: items) {
      shared.value.forEach { try? port.commit($0, PostTarget.step) }
    }
  }

  /// Commits of 1000 targets in turn, most of which coalesce, and then of one
  /// more, which is performed last: when it is, every other one was taken.
  private static func coalescedBurst(_ items: Int, _ port: LoopPort, _ finish: FinishLine) -> Burst
  {
    // Steps to a line of its own, that is never reached: as many steps as the
    // loop's batches happen to leave.
    let crowd = FinishLine()
    let targets = ObjectList(count: CommitLoad.targets) { _ in PostTarget(finish: crowd.pointer) }
    let last = PostTarget(finish: finish.pointer)
    let shared = Shared((targets: targets, crowd: crowd))
    return Burst(steps: 1) {
      let targets = shared.value.targets
      for _ in 0..<items / targets.count {
        targets.forEach { try? port.commit($0, PostTarget.step) }
      }
      try? port.commit(last, PostTarget.step)
    }
  }
}
