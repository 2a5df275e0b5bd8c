private import CLoopbench
import Synchronization

/// What became of each commit of a load, and the work that stands for it.
///
/// The actions of a peer run one after the other; all but `ended` is theirs.
final class ReplayRecorder: @unchecked Sendable {
  // @unchecked: actions never run at the same time, and whoever reads has seen
  // in `ended` that all of them are over.

  let replay: Replay
  private let times: UnsafeMutableBufferPointer<Times>
  private var free: UInt64 = 0
  private var tickBegan: UInt64 = 0
  private(set) var ticks: [UInt64] = []
  private(set) var performed: UInt64 = 0
  private let ended = Atomic<Int>(0)

  struct Times {
    /// When the loop was done with the action before.
    var free: UInt64 = 0
    var ended: UInt64 = 0
  }

  init(_ replay: Replay) {
    self.replay = replay
    times = .allocate(capacity: replay.entries.count)
    times.initialize(repeating: Times())
    ticks.reserveCapacity(replay.entries.count)
  }

  deinit {
    times.deallocate()
  }

  subscript(index: Int) -> Times { times[index] }

  /// Performs one action for `entries`, which have it in common; it costs what
  /// the newest of them says.
  ///
  /// - Parameter endsTick: Whether the action is a tick of its own.
  func perform(_ entries: some Collection<Int>, endsTick: Bool = false) {
    guard let newest = entries.max() else { return }
    let began = cl_now()
    if tickBegan == 0 { tickBegan = began }
    cl_spin_until(began + UInt64(replay.entries[newest].cost) * 1000)
    let now = cl_now()
    for entry in entries { times[entry] = Times(free: free, ended: now) }
    free = now
    performed += 1
    if endsTick { endTick() }
    // Releasing: pairs with the load in `waitForEnd`.
    ended.wrappingAdd(entries.count, ordering: .releasing)
  }

  /// The loop is about to wait: ends the tick, if an action ran in it.
  func endTick() {
    guard tickBegan != 0 else { return }
    ticks.append(cl_now() - tickBegan)
    tickBegan = 0
  }

  /// Returns when `count` commits were performed.
  func waitForEnd(of count: Int) {
    while ended.load(ordering: .acquiring) < count { cl_sleep_until(cl_now() + 100_000) }
  }
}

extension ReplayRecorder: CustomReflectable {
  /// Empty: reflection traps at an atomic.
  var customMirror: Mirror { Mirror(self, children: [:]) }
}
