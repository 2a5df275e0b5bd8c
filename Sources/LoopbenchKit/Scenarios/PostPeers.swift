import CLoopbench
import LoopTransactions

/// `post` through a `LoopPort`.
struct LTPost: Peer {
  let name = "lt"
  let scenario = "post"
  let series = PostLoad.series
  let summary = "LoopPort: post(function, context), post(closure), commit(target, selector)"

  func measure(_ slice: inout Slice) throws(PeerError) {
    try EventLoop.measuring { (loop) throws(PeerError) in try measure(&slice, on: loop) }
  }

  private func measure(_ slice: inout Slice, on loop: EventLoop) throws(PeerError) {
    switch slice.series {
    case "commit.across": try across(loop, &slice, Self.coalescedBurst)
    case "typed.self": try toSelf(loop, &slice, Self.typedBurst)
    case "closure.self": try toSelf(loop, &slice, Self.closureBurst)
    case "commit.self": try toSelf(loop, &slice, Self.distinctBurst)
    case ClosureSeries.chain: try chain(loop, &slice)
    default:
      guard series.contains(slice.series) else { throw slice.unknownSeries }
      let isTyped = slice.series.hasPrefix("typed.")
      try across(loop, &slice, isTyped ? Self.typedBurst : Self.closureBurst)
    }
  }
}

/// Posts a closure that posts the next one.
private struct LTLink: @unchecked Sendable {
  // @unchecked: `finish` is used on the loop's thread only.
  let port: LoopPort
  let finish: UnsafeMutablePointer<cl_finish>

  func post() {
    // try?: a post fails only on a closed loop, and the loop is closed after the chain.
    try? port.post {
      cl_finish_step(finish)
      if finish.pointee.finished == 0 { post() }
    }
  }
}

/// The items to post, and the number of steps that they count.
private struct Burst {
  let steps: Int
  let produce: @Sendable () -> Void
}

extension LTPost {
  private typealias MakeBurst = @Sendable (_ items: Int, LoopPort, CompletionCounter) -> Burst

  private func across(
    _ loop: EventLoop,
    _ slice: inout Slice,
    _ makeBurst: MakeBurst
  ) throws(PeerError) {
    let port = loop.port
    loop.waitsForPosts = true
    let finish = CompletionCounter(stop: EventLoop.stopFunction, context: loop.address)
    let producers = ClosureSeries.producers(in: slice.series)
    let burst = makeBurst(slice.workload.operations / producers, port, finish)
    try slice.sampleBursts(
      of: burst.steps * producers,
      from: producers,
      to: finish,
      produce: burst.produce
    ) { loop.run() }
  }

  private func chain(_ loop: EventLoop, _ slice: inout Slice) throws(PeerError) {
    let finish = CompletionCounter(stop: EventLoop.stopFunction, context: loop.address)
    let link = LTLink(port: loop.port, finish: finish.pointer)
    try slice.sample(to: finish) { _ in
      link.post()
      loop.run()
    }
  }

  private func toSelf(
    _ loop: EventLoop,
    _ slice: inout Slice,
    _ makeBurst: MakeBurst
  ) throws(PeerError) {
    let finish = CompletionCounter()
    let burst = makeBurst(slice.workload.operations, loop.port, finish)
    try slice.sample(burst.steps, to: finish) { _ in
      burst.produce()
      // Usually one tick is enough. On a busy machine a tick can exceed its budget,
      // and the remaining items are carried over to the next tick.
      repeat { loop.run(.noWait) } while finish.finished == 0
    }
  }
}

// try? below: a post fails only on a closed loop, and the loop is closed after
// the last burst.
extension LTPost {
  private static let typedBurst: MakeBurst = { items, port, finish in
    let finish = UnsafeTransfer(UnsafeMutableRawPointer(finish.pointer))
    return Burst(steps: items) {
      for _ in 0..<items { try? port.post(cl_finish_step, context: finish.value) }
    }
  }

  private static let closureBurst: MakeBurst = { items, port, finish in
    let finish = UnsafeTransfer(finish.pointer)
    return Burst(steps: items) {
      for _ in 0..<items { try? port.post { cl_finish_step(finish.value) } }
    }
  }

  /// Commits each of `items` targets once.
  private static let distinctBurst: MakeBurst = { items, port, finish in
    let targets = ObjectList(count: items) { _ in PostTarget(finish: finish.pointer) }
    let shared = UnsafeTransfer(targets)
    return Burst(steps: items) {
      shared.value.forEach { try? port.commit($0, PostTarget.step) }
    }
  }

  /// Commits 1000 targets in turn, so that most commits coalesce, and then commits
  /// one more target. The loop performs this last commit after it has taken every
  /// other commit.
  private static let coalescedBurst: MakeBurst = { items, port, finish in
    // These targets have their own completion counter, which no step completes, because
    // the number of performed actions depends on the loop's batches.
    let crowd = CompletionCounter()
    let targets = ObjectList(count: CommitLoad.targets) { _ in PostTarget(finish: crowd.pointer) }
    let last = PostTarget(finish: finish.pointer)
    let shared = UnsafeTransfer((targets: targets, crowd: crowd))
    return Burst(steps: 1) {
      let targets = shared.value.targets
      for _ in 0..<items / targets.count {
        targets.forEach { try? port.commit($0, PostTarget.step) }
      }
      try? port.commit(last, PostTarget.step)
    }
  }
}

/// The target that `lt` commits in `post`. Performing the action is a step of a
/// completion counter.
final class PostTarget: @unchecked Sendable {
  // @unchecked: `finish` is used on the loop's thread only.

  static let step = Selector<PostTarget>("step") { cl_finish_step($0.finish) }

  private let finish: UnsafeMutablePointer<cl_finish>

  init(finish: UnsafeMutablePointer<cl_finish>) {
    self.finish = finish
  }
}

/// `post` with any ``FunctionQueue``.
public struct QueuePost<Runner: FunctionQueue>: RunnerPeer {
  /// `post`.
  public let scenario = "post"

  /// The series that the queue can measure.
  public var series: [String] { Runner.postSeries ?? PostLoad.series }
  /// Whether a run that names no peers measures the queue.
  public var isStandard: Bool { Runner.isStandard }

  /// Makes the peer.
  public init() {}

  /// Measures the queue.
  public func measure(_ slice: inout Slice) throws(PeerError) {
    let stop = JoinResult<Runner>()
    let stopper = CallbackBox { stop.value?.stop() }
    let finish = CompletionCounter(stop: CallbackBox.call, context: stopper.address)
    try Runner.open(cpu: slice.seats.loop).closing { (queue) throws(PeerError) in
      stop.value = queue
      let (items, line) = (slice.workload.operations, UnsafeTransfer(finish.pointer))
      let producers = ClosureSeries.producers(in: slice.series)
      let produce: @Sendable () -> Void = {
        queue.post(items / producers, callsOf: cl_finish_step, context: line.value)
      }
      if slice.series == ClosureSeries.chain {
        try chain(queue, finish, &slice)
      } else if slice.series.hasSuffix(".self") {
        try toSelf(queue, produce, finish, &slice)
      } else {
        try slice.sampleBursts(of: items, from: producers, to: finish, produce: produce) {
          queue.run()
        }
      }
    }
    // The queue has been closed, so no step uses them any longer.
    withExtendedLifetime((stopper, finish)) {}
  }

  /// Posts a function that posts itself again, from a function that runs on the queue.
  private func chain(
    _ queue: Runner,
    _ finish: CompletionCounter,
    _ slice: inout Slice
  ) throws(PeerError) {
    let post = JoinResult<@Sendable () -> Void>()
    let line = UnsafeTransfer(finish.pointer)
    let link = CallbackBox {
      // Read before the step: the last one lets the measuring thread begin the next
      // sample, or release this closure.
      let isLast = line.value.pointee.ran + 1 == line.value.pointee.target
      cl_finish_step(line.value)
      if !isLast { post.value?() }
    }
    let address = UnsafeTransfer(link.address)
    post.value = { queue.post(CallbackBox.call, context: address.value) }
    try toSelf(queue, { post.value?() }, finish, &slice)
    withExtendedLifetime(link) {}
  }

  /// Posts the burst from a function that runs on the queue.
  private func toSelf(
    _ queue: Runner,
    _ produce: @escaping @Sendable () -> Void,
    _ finish: CompletionCounter,
    _ slice: inout Slice
  ) throws(PeerError) {
    let began = JoinResult<UInt64>()
    let burst = CallbackBox {
      began.value = cl_now()
      produce()
    }
    try slice.sample { (items) throws(PeerError) in
      finish.reset(target: items)
      queue.post(CallbackBox.call, context: burst.address)
      queue.run()
      return try finish.nanoseconds(since: began.value ?? .max)
    }
    withExtendedLifetime(burst) {}
  }
}
