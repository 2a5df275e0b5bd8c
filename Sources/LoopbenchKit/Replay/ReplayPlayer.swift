private import CLoopbench
import LoopTransactions
import Synchronization

/// Plays a recorded load: a thread for each producer, each commit when it is due.
struct ReplayPlayer {
  let replay: Replay
  let recorder: ReplayRecorder

  /// Long enough for every thread to start before the first commit is due.
  private static let headStart: UInt64 = 5_000_000

  init(_ replay: Replay) {
    self.replay = replay
    recorder = ReplayRecorder(replay)
  }

  /// Plays all of it and records it into `slice`.
  ///
  /// - Parameters:
  ///   - commit: Hands one entry over, on its producer's thread. Entries of
  ///     producer 0 have to be committed by the loop itself.
  ///   - stop: Ends `runLoop`; called when every commit was performed.
  func play(
    _ slice: inout Slice,
    commit: @escaping @Sendable (_ entry: Int) -> Void,
    stop: @escaping @Sendable () -> Void,
    runLoop: () throws(PeerFailure) -> Void
  ) throws(PeerFailure) {
    guard slice.series == "performed" else { throw slice.unknownSeries }
    let origin = cl_now() + Self.headStart
    let producers = replay.producers.map { ReplayProducer($0, of: replay) }
    let (cpu, slackNs) = (slice.seats.producer, slice.conditions.slackNs)
    let conductor = try PlacedThread(cpu: nil) { [recorder] in
      Self.run(producers[...], cpu: cpu) {
        cl_sleep_within(slackNs)
        $0.play(from: origin, commit: commit)
      }
      recorder.waitForEnd(of: producers.reduce(0) { $0 + $1.startedCount })
      stop()
    }
    try conductor.join(after: runLoop)
    for producer in producers { record(producer, from: origin, into: &slice) }
  }

  /// Call when no action runs any more: the last tick has ended then.
  func finish(_ slice: inout Slice) {
    for tick in recorder.ticks { slice.record(nanoseconds: Double(tick), as: "tick") }
    slice.count(recorder.performed, as: "performed")
    slice.count(UInt64(recorder.ticks.count), as: "ticks")
  }

  /// Runs `body` for every producer at the same time, and waits for all of them.
  /// One whose thread the system does not start leaves its commits missed.
  private static func run(
    _ producers: ArraySlice<ReplayProducer>,
    cpu: Int?,
    _ body: @escaping @Sendable (ReplayProducer) -> Void
  ) {
    guard let first = producers.first else { return }
    let thread = Result { () throws(PeerFailure) in try PlacedThread(cpu: cpu) { body(first) } }
    run(producers.dropFirst(), cpu: cpu, body)
    if case .success(let thread) = consume thread { thread.join() }
  }

  private func record(_ producer: ReplayProducer, from origin: UInt64, into slice: inout Slice) {
    slice.count(UInt64(producer.startedCount), as: "committed")
    for (index, entry) in producer.entries.enumerated() {
      guard index < producer.started.count, producer.started[index] != 0 else {
        slice.miss()
        continue
      }
      let times = recorder[entry]
      slice.record(
        OpenLoopSample(
          due: origin + producer.schedule.dues[index],
          started: producer.started[index],
          free: times.free,
          ended: times.ended
        ),
        tolerance: producer.schedule.tolerance
      )
    }
  }
}

/// One producer's part of a load.
final class ReplayProducer: @unchecked Sendable {
  // @unchecked: `started` is written by the producer's thread and read after it
  // was joined.
  let entries: [Int]
  let schedule: OpenLoopSchedule
  private(set) var started: [UInt64] = []

  /// A commit that is a millisecond late is not the load that was recorded.
  private static let tolerance: UInt64 = 1_000_000

  init(_ number: Int, of replay: Replay) {
    entries = replay.entries.indices.filter { replay.entries[$0].producer == number }
    schedule = OpenLoopSchedule(
      dues: entries.map { UInt64(replay.entries[$0].time) * 1000 },
      tolerance: Self.tolerance
    )
  }

  var startedCount: Int { started.count { $0 != 0 } }

  func play(from origin: UInt64, commit: (_ entry: Int) -> Void) {
    started = schedule.follow(from: origin) { commit(entries[$0]) }
  }
}

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

extension ReplayRecorder: Unreflected {}
