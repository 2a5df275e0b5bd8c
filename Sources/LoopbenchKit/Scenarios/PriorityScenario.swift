private import CLoopbench
import LoopTransactions
private import Synchronization

extension Scenario {
  /// Getting past work that matters less, and not being forgotten behind work that
  /// matters more.
  package static let priority = Scenario(
    name: "priority",
    summary: "add an operation to 4 busy workers: from the add until it starts",
    series: [
      Series(
        name: "latency",
        summary: "an urgent one behind 10000 lower ones of 20 us each",
        effort: Effort(warmUps: 10, samples: 100, operations: 1),
        placement: .anywhere,
        kind: .service
      ),
      Series(
        name: "starvation",
        summary: "a low one under endless urgent ones of 20 us; given up after 20 ms",
        effort: Effort(warmUps: 1, samples: 10, operations: 1),
        placement: .anywhere,
        kind: .service
      ),
    ],
    references: ["dispatch", "opqueue"],
    details: """
      Operations of 20 us each keep 4 workers busy, and one more is added that is more urgent than all
      of them (`latency`) or less (`starvation`). What is timed is from before the add to its first
      instruction.

        workers      20 us │ 20 us │ 20 us │ 20 us …  10000 at any time: each adds the next
        adds              add ┐
        latency           ├───┴────┤ starts

        workers      urgent │ urgent │ urgent │ …  64 at any time: each adds the next
        adds              add ┐
        starvation        ├───┴───────────────┤ starts, or 20 ms: it is given up

      Urgent ones come one at a time, 200 to 400 us apart. How many lower ones started between the end
      of the add and the start of the urgent one is counted beside, over all samples: inversions.
      No thread is placed, and whoever adds sleeps in between: to wake it takes a CPU from a worker.
      """,
    isStandard: false
  )
}

/// The loads that every peer of `priority` meets.
package enum PriorityLoad {
  /// The series every peer of the scenario has.
  package static let series = ["latency", "starvation"]

  /// What one operation of the load takes, in ns.
  package static let work: UInt64 = 20_000
  /// Lower ones that there are at any time, in `latency`.
  package static let crowd = 10_000
  /// Urgent ones that there are at any time, in `starvation`.
  package static let endless = 64
  /// The least time between two that are timed, in ns; the most is twice that.
  package static let pause: UInt64 = 200_000
  /// How long the load of `starvation` runs before the low one comes, in ns.
  package static let headStart: UInt64 = 1_000_000
  /// How long a low one is waited for, in ns.
  package static let patience: UInt64 = 20_000_000

  /// Beside `latency`: lower ones that started while an urgent one waited.
  package static let inversions = "lower ones started first"
  /// Beside `starvation`.
  package static let starved = "not started within 20 ms"
}

/// `priority` of whatever runs functions on several threads.
struct PriorityPeer<Runner: FunctionPool>: RunnerPeer {
  let scenario = "priority"
  let series = PriorityLoad.series

  // 10 s: what takes longer is broken.
  private static var limit: UInt64 { 10_000_000_000 }

  func measure(_ slice: inout Slice) throws(PeerFailure) {
    cl_sleep_within(slice.conditions.slackNs)
    let field = try PriorityField()
    var load: EndlessLoad?
    try Runner.open().closing { (pool) throws(PeerFailure) in
      switch slice.series {
      case "latency": load = measureLatency(&slice, pool, field)
      case "starvation": load = measureStarvation(&slice, pool, field)
      default: throw slice.unknownSeries
      }
    }
    // The pool is closed: no operation is under way that could touch them.
    withExtendedLifetime((field, load)) {}
  }

  private func measureLatency(
    _ slice: inout Slice,
    _ pool: Runner,
    _ field: PriorityField
  ) -> EndlessLoad {
    let load = EndlessLoad(pool, field, .low)
    load.begin(PriorityLoad.crowd)
    var before: UInt64 = 0
    for index in 0..<slice.effort.warmUps + slice.effort.samples {
      let pause = PriorityLoad.pause + slice.generator.number(below: PriorityLoad.pause)
      cl_sleep_until(cl_now() + pause)
      if index == slice.effort.warmUps { before = field.inversions }
      let waited = field.time(limit: Self.limit) {
        pool.add(PriorityField.start, context: field.address, .high)
      }
      if index >= slice.effort.warmUps { slice.record(nanoseconds: Double(waited)) }
    }
    slice.count(field.inversions - before, as: PriorityLoad.inversions)
    load.end()
    return load
  }

  private func measureStarvation(
    _ slice: inout Slice,
    _ pool: Runner,
    _ field: PriorityField
  ) -> EndlessLoad {
    let load = EndlessLoad(pool, field, .high)
    var starved: UInt64 = 0
    for index in 0..<slice.effort.warmUps + slice.effort.samples {
      load.begin(PriorityLoad.endless)
      cl_sleep_until(cl_now() + PriorityLoad.headStart)
      let waited = field.time(limit: PriorityLoad.patience) {
        pool.add(PriorityField.start, context: field.address, .low)
      }
      load.end()
      guard index >= slice.effort.warmUps else { continue }
      slice.record(nanoseconds: Double(waited))
      if waited == PriorityLoad.patience { starved += 1 }
    }
    slice.count(starved, as: PriorityLoad.starved)
    return load
  }
}

/// Operations of one urgency, each of which adds the next: as many wait at any time.
final class EndlessLoad: Sendable {
  private let field: PriorityField
  private let add: @Sendable () -> Void
  private let step: CallbackBox

  init(_ pool: some FunctionPool, _ field: PriorityField, _ priority: OperationPriority) {
    // Known before the first operation is added.
    let address = JoinResult<UnsafeTransfer<UnsafeMutableRawPointer>>()
    let add: @Sendable () -> Void = {
      pool.add(CallbackBox.call, context: address.value?.value, priority)
    }
    step = CallbackBox { if field.spend() { add() } else { field.leave() } }
    address.value = UnsafeTransfer(step.address)
    (self.field, self.add) = (field, add)
  }

  /// Adds the first `count`.
  func begin(_ count: Int) {
    field.begin(count)
    for _ in 0..<count { add() }
  }

  /// Returns when every one has ended, and the operation that was timed too. Keep the
  /// load until the pool is closed.
  func end() { field.end() }
}

/// The load of `priority`, and the one operation at a time that is timed in it.
package final class PriorityField: Sendable {
  /// Where the timed operation is.
  private enum Probe {
    static let none = 0
    static let waits = 1
    static let started = 2
  }

  private let isOver = Atomic<Bool>(false)
  private let unended = Atomic<Int>(0)
  private let probe = Atomic<Int>(Probe.none)
  private let startedAt = Atomic<UInt64>(0)
  private let overtakers = Atomic<UInt64>(0)
  private let gate: Gate

  package init() throws(PeerFailure) { gate = try Gate() }

  /// The context of `start`. Keep the field until the pool is closed.
  package var address: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  /// How many operations of the load started while the timed one waited.
  package var inversions: UInt64 { overtakers.load(ordering: .relaxed) }

  private static func of(_ context: UnsafeMutableRawPointer?) -> PriorityField? {
    context.map { Unmanaged<PriorityField>.fromOpaque($0).takeUnretainedValue() }
  }
}

// What workers run.
extension PriorityField {
  /// The timed operation.
  package static let start: PostedFunction = { context in
    let now = cl_now()
    guard let field = of(context) else { return }
    field.startedAt.store(now, ordering: .relaxed)
    // Release: whoever sees it started reads when.
    field.probe.store(Probe.started, ordering: .releasing)
    field.leave()
  }

  /// One operation of the load takes its time; whether it adds the next.
  package func spend() -> Bool {
    if probe.load(ordering: .relaxed) == Probe.waits { overtakers.add(1, ordering: .relaxed) }
    guard !isOver.load(ordering: .relaxed) else { return false }
    cl_spin_until(cl_now() + PriorityLoad.work)
    return !isOver.load(ordering: .relaxed)
  }

  /// An operation ended, and adds no other.
  package func leave() {
    // Acquire and release: who passes the gate sees what every operation did.
    if unended.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0 { gate.pass() }
  }
}

// What the measuring thread does.
extension PriorityField {
  /// `count` operations of the load are about to be added, each of which adds the
  /// next.
  package func begin(_ count: Int) {
    isOver.store(false, ordering: .relaxed)
    unended.add(count, ordering: .relaxed)
  }

  /// Times one operation that `add` hands over: ns until it started, or `limit`.
  package func time(limit: UInt64, _ add: () -> Void) -> UInt64 {
    probe.store(Probe.none, ordering: .relaxed)
    unended.add(1, ordering: .relaxed)
    let began = cl_now()
    add()
    // It waits from now on, unless it has started already.
    _ = probe.compareExchange(
      expected: Probe.none,
      desired: Probe.waits,
      ordering: .acquiringAndReleasing
    )
    while probe.load(ordering: .acquiring) != Probe.started {
      guard cl_now() < began + limit else { return limit }
      // Asleep: a processor that looks would be one that does not work.
      cl_sleep_until(cl_now() + PriorityLoad.pause / 2)
    }
    return startedAt.load(ordering: .relaxed) - began
  }

  /// Ends the load, and waits until every operation ended.
  package func end() {
    isOver.store(true, ordering: .relaxed)
    gate.wait()
  }
}

extension PriorityField: Unreflected {}
