private import CLoopbench
import LoopTransactions
private import Synchronization

extension Scenario {
  /// The latency of urgent operations behind less urgent operations, and the
  /// starvation of low operations behind urgent operations.
  package static let priority = Scenario(
    name: "priority",
    summary:
      "add an operation to 4 busy workers; a sample is the time from the add until it starts",
    series: [
      Series(
        name: "latency",
        summary: "an urgent operation behind 10000 lower operations of 20 us each",
        workload: Workload(warmUps: 10, samples: 100, operations: 1),
        placement: .anywhere,
        kind: .service
      ),
      Series(
        name: "starvation",
        summary: "a low operation behind endless urgent operations of 20 us; given up after 20 ms",
        workload: Workload(warmUps: 1, samples: 10, operations: 1),
        placement: .anywhere,
        kind: .service
      ),
    ],
    references: ["dispatch", "opqueue", "hand"],
    floors: ["hand"],
    details: """
      Operations of 20 us each keep 4 workers busy. One more operation is added that is more urgent
      than all of them (`latency`) or less urgent (`starvation`). A sample is the time from before the
      add to its first instruction.

        workers      20 us │ 20 us │ 20 us │ 20 us …  10000 at any time: each adds the next
        adds              add ┐
        latency           ├───┴────┤ starts

        workers      urgent │ urgent │ urgent │ …  64 at any time: each adds the next
        adds              add ┐
        starvation        ├───┴───────────────┤ starts, or is given up after 20 ms

      Urgent operations are added one at a time, 200 to 400 us apart. Lower operations that start
      between the end of the add and the start of the urgent one are counted over all samples: they
      are inversions. No thread is placed. The adding thread sleeps between adds, and waking it takes
      a CPU from a worker.
      """,
    isStandard: false
  )
}

/// The loads of every `priority` peer.
package enum PriorityLoad {
  /// The duration of one operation of the load, in ns.
  package static let work: UInt64 = 20_000
  /// In `latency`, the number of lower operations at any time.
  package static let crowd = 10_000
  /// In `starvation`, the number of urgent operations at any time.
  package static let endless = 64
  /// The shortest pause between two timed operations, in ns. The longest is
  /// twice that.
  package static let pause: UInt64 = 200_000
  /// How long the load of `starvation` runs before the low operation is added,
  /// in ns.
  package static let headStart: UInt64 = 1_000_000
  /// How long to wait for a low operation to start, in ns.
  package static let patience: UInt64 = 20_000_000

  /// The name of a count of `latency`: lower operations that started while an
  /// urgent operation waited.
  package static let inversions = "lower ones started first"
  /// The name of a count of `starvation`: low operations that were given up.
  package static let starved = "not started within 20 ms"
}

/// `priority` with any ``FunctionPool``.
public struct PriorityPeer<Runner: FunctionPool>: RunnerPeer {
  /// `priority`.
  public let scenario = "priority"
  /// The series of `priority`.
  public let series = ["latency", "starvation"]

  /// Makes the peer.
  public init() {}

  // 10 s: a pool that takes longer than this is broken.
  private static var limit: UInt64 { 10_000_000_000 }

  /// Measures the pool.
  public func measure(_ slice: inout Slice) throws(PeerError) {
    cl_sleep_precisely()
    let probe = PriorityProbe()
    var load: EndlessLoad?
    try Runner.open().closing { (pool) throws(PeerError) in
      switch slice.series {
      case "latency": load = measureLatency(&slice, pool, probe)
      case "starvation": load = measureStarvation(&slice, pool, probe)
      default: throw slice.unknownSeries
      }
    }
    // The pool has been closed, so no operation uses them any longer.
    withExtendedLifetime((probe, load)) {}
  }

  private func measureLatency(
    _ slice: inout Slice,
    _ pool: Runner,
    _ probe: PriorityProbe
  ) -> EndlessLoad {
    let load = EndlessLoad(pool, probe, .low)
    load.begin(PriorityLoad.crowd)
    var before: UInt64 = 0
    for index in 0..<slice.workload.warmUps + slice.workload.samples {
      let pause = PriorityLoad.pause + slice.generator.number(below: PriorityLoad.pause)
      cl_sleep_until(cl_now() + pause)
      if index == slice.workload.warmUps { before = probe.inversions }
      let waited = probe.time(limit: Self.limit) {
        pool.add(PostedCall(function: PriorityProbe.start, context: probe.address), .high)
      }
      if index >= slice.workload.warmUps { slice.record(nanoseconds: Double(waited)) }
    }
    slice.count(probe.inversions - before, as: PriorityLoad.inversions)
    load.end()
    return load
  }

  private func measureStarvation(
    _ slice: inout Slice,
    _ pool: Runner,
    _ probe: PriorityProbe
  ) -> EndlessLoad {
    let load = EndlessLoad(pool, probe, .high)
    var starved: UInt64 = 0
    for index in 0..<slice.workload.warmUps + slice.workload.samples {
      load.begin(PriorityLoad.endless)
      cl_sleep_until(cl_now() + PriorityLoad.headStart)
      let waited = probe.time(limit: PriorityLoad.patience) {
        pool.add(PostedCall(function: PriorityProbe.start, context: probe.address), .low)
      }
      load.end()
      guard index >= slice.workload.warmUps else { continue }
      slice.record(nanoseconds: Double(waited))
      if waited == PriorityLoad.patience { starved += 1 }
    }
    slice.count(starved, as: PriorityLoad.starved)
    return load
  }
}

/// Operations of one priority. Each operation adds another operation when it ends,
/// so their number stays the same.
final class EndlessLoad: Sendable {
  private let probe: PriorityProbe
  private let add: @Sendable () -> Void
  private let step: CallbackBox

  init(_ pool: some FunctionPool, _ probe: PriorityProbe, _ priority: OperationPriority) {
    // `next` is set before the first operation is added.
    let next = JoinResult<PostedCall>()
    let add: @Sendable () -> Void = { if let call = next.value { pool.add(call, priority) } }
    step = CallbackBox { if probe.spend() { add() } else { probe.leave() } }
    next.value = PostedCall(function: CallbackBox.call, context: step.address)
    (self.probe, self.add) = (probe, add)
  }

  /// Adds the first `count` operations.
  func begin(_ count: Int) {
    probe.begin(count)
    for _ in 0..<count { add() }
  }

  /// Returns when every operation of the load and the timed operation have ended.
  /// Keep the load alive until the pool is closed.
  func end() { probe.end() }
}

/// The load of `priority` and the operation that is timed behind it. One operation
/// is timed at a time.
package final class PriorityProbe: Sendable {
  /// The state of the timed operation.
  private enum State {
    static let none = 0
    static let waits = 1
    static let started = 2
  }

  private let isOver = Atomic<Bool>(false)
  private let unended = Atomic<Int>(0)
  private let state = Atomic<Int>(State.none)
  private let startedAt = Atomic<UInt64>(0)
  private let overtakers = Atomic<UInt64>(0)
  private let gate = Gate()

  package init() {}

  /// The context to pass to `start`. Keep the probe alive until the pool is closed.
  package var address: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  /// The number of operations of the load that started while the timed operation
  /// waited.
  package var inversions: UInt64 { overtakers.load(ordering: .relaxed) }

  private static func of(_ context: UnsafeMutableRawPointer?) -> PriorityProbe? {
    context.map { Unmanaged<PriorityProbe>.fromOpaque($0).takeUnretainedValue() }
  }
}

// Called on workers.
extension PriorityProbe {
  /// The timed operation.
  package static let start: PostedFunction = { context in
    let now = cl_now()
    guard let probe = of(context) else { return }
    probe.startedAt.store(now, ordering: .relaxed)
    // Release: pairs with the acquire in `time`, which then reads `startedAt`.
    probe.state.store(State.started, ordering: .releasing)
    probe.leave()
  }

  /// Runs one operation of the load. Returns whether that operation must add
  /// another operation.
  package func spend() -> Bool {
    if state.load(ordering: .relaxed) == State.waits { overtakers.add(1, ordering: .relaxed) }
    guard !isOver.load(ordering: .relaxed) else { return false }
    cl_spin_until(cl_now() + PriorityLoad.work)
    return !isOver.load(ordering: .relaxed)
  }

  /// Ends an operation of the load that adds no further operation.
  package func leave() {
    // Acquire and release: the thread that passes the gate sees the effects of
    // every operation.
    if unended.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0 { gate.pass() }
  }
}

// Called on the measuring thread.
extension PriorityProbe {
  /// Starts the load. Call before adding its first `count` operations.
  package func begin(_ count: Int) {
    isOver.store(false, ordering: .relaxed)
    unended.add(count, ordering: .relaxed)
  }

  /// Times the operation that `add` adds. Returns the time until the operation
  /// started, in ns, but at most `limit`.
  package func time(limit: UInt64, _ add: () -> Void) -> UInt64 {
    state.store(State.none, ordering: .relaxed)
    unended.add(1, ordering: .relaxed)
    let began = cl_now()
    add()
    // Unless it has already started, the operation counts as waiting from now on.
    _ = state.compareExchange(
      expected: State.none,
      desired: State.waits,
      ordering: .acquiringAndReleasing
    )
    while state.load(ordering: .acquiring) != State.started {
      guard cl_now() < began + limit else { return limit }
      // Sleeps between checks, because spinning would take a CPU from the workers.
      cl_sleep_until(cl_now() + PriorityLoad.pause / 2)
    }
    return startedAt.load(ordering: .relaxed) - began
  }

  /// Ends the load and waits until every operation has ended.
  package func end() {
    isOver.store(true, ordering: .relaxed)
    gate.wait()
  }
}

extension PriorityProbe: Unreflected {}
