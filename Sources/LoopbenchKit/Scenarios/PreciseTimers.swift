private import CLoopbench
import LoopTransactions

/// `timer/precise`, in the same way for every peer.
enum PreciseTimers {
  /// Measures arming timers of a loop.
  static func measure(
    on loop: EventLoop,
    beside count: Int,
    _ slice: inout Slice
  ) throws(PeerError) {
    let (delays, now) = (TimerLoad.delays(of: count), loop.now)
    func arm(_ delay: UInt64) throws(UVError) -> LoopTimer {
      try loop.addPreciseTimer(at: now.advanced(by: .milliseconds(delay))) { _ in }
    }
    do {
      var armed: [LoopTimer] = []
      armed.reserveCapacity(slice.workload.operations)
      let pending = try delays.map(arm)
      try slice.sample { (timers) throws(UVError) in
        let began = cl_now()
        for index in 0..<timers { armed.append(try arm(delays[index % count])) }
        loop.run(.noWait)
        let elapsed = cl_now() - began
        for timer in armed { timer.cancel() }
        armed.removeAll(keepingCapacity: true)
        return elapsed
      }
      for timer in pending { timer.cancel() }
    } catch {
      throw PeerError("\(error)")
    }
  }
}

/// `timer/precise` in the shape of SwiftNIO's event loop: tasks in a binary heap, and one
/// timerfd that is set if the earliest deadline has changed.
struct HeapTimer: Peer {
  let name = "heap"
  let scenario = "timer"
  let series = TimerLoad.precise.map(\.name)
  let isReference = true
  // Its series are not standard either.
  let isStandard = false
  let summary =
    "Swift, in the shape of SwiftNIO's loop: a promise and two closures a timer, a heap, a timerfd"
  let unavailability: String? = cl_eventfd_wake.open == nil ? "timerfd is Linux's" : nil

  func measure(_ slice: inout Slice) throws(PeerError) {
    guard let count = TimerLoad.preciseTimers(of: slice) else { throw slice.unknownSeries }
    let (delays, now) = (TimerLoad.delays(of: count), cl_now())
    let pending = TimerHeap()
    for delay in delays { pending.arm(at: now + delay * 1_000_000) }
    guard let clock = cl_timerfd_open() else { throw .noDescriptor }
    defer { cl_timerfd_close(clock) }
    slice.sample { timers in
      // A copy with memory of its own instead of cancelling: SwiftNIO searches the heap.
      let heap = TimerHeap(copying: pending)
      let began = cl_now()
      for index in 0..<timers { heap.arm(at: now + delays[index % count] * 1_000_000) }
      heap.set(clock)
      return cl_now() - began
    }
  }
}

/// Tasks by deadline.
private final class TimerHeap {
  private struct Task {
    let id: UInt64
    let deadline: UInt64
    let body: () -> Void
    let fail: (PeerError) -> Void
  }

  /// The outcome of a task.
  private final class Promise {
    var outcome: Result<Void, PeerError>?
  }

  private var tasks: ContiguousArray<Task> = []
  private var lastID: UInt64 = 0
  private var earliest = UInt64.max

  init() {}

  init(copying other: TimerHeap) {
    tasks.reserveCapacity(other.tasks.count * 2)
    tasks.append(contentsOf: other.tasks)
    (lastID, earliest) = (other.lastID, other.earliest)
  }

  @inline(never)
  func arm(at deadline: UInt64) {
    let promise = Promise()
    lastID += 1
    let task = Task(
      id: lastID,
      deadline: deadline,
      body: { promise.outcome = .success(()) },
      fail: { promise.outcome = .failure($0) }
    )
    tasks.append(task)
    var index = tasks.count - 1
    while index > 0 {
      let parent = (index - 1) / 2
      guard tasks[index].deadline < tasks[parent].deadline else { break }
      tasks.swapAt(index, parent)
      index = parent
    }
  }

  /// Sets the timerfd if the earliest deadline has changed, and polls it.
  func set(_ clock: OpaquePointer) {
    let first = tasks.first?.deadline ?? .max
    cl_timerfd_poll(clock, first == earliest ? 0 : first)
    earliest = first
  }
}
