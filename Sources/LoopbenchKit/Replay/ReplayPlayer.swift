private import CLoopbench
import LoopTransactions
import Synchronization

/// Plays a recorded load, with a thread for each producer.
struct ReplayPlayer {
  let replay: Replay
  let recorder: ReplayRecorder

  init(_ replay: Replay) {
    self.replay = replay
    recorder = ReplayRecorder(replay)
  }

  /// Plays the load and records its times into `slice`.
  ///
  /// - Parameters:
  ///   - commit: Commits one entry. Called on a separate thread for each producer,
  ///     including producer 0. An entry of producer 0 must be committed on the
  ///     loop, so `commit` must post it.
  ///   - stop: Ends `runLoop`. Called once every commit has been performed.
  func play(
    _ slice: inout Slice,
    commit: @escaping @Sendable (_ entry: Int) -> Void,
    stop: @escaping @Sendable () -> Void,
    runLoop: () throws(PeerError) -> Void
  ) throws(PeerError) {
    guard slice.series == "performed" else { throw slice.unknownSeries }
    let producers = replay.producers.map { ReplayProducer($0, of: replay) }
    let line = StartingLine(count: producers.count)
    let cpu = slice.seats.producer
    let conductor = try PlacedThread(cpu: nil) { [recorder] in
      Self.run(producers[...], cpu: cpu, line) { producer, origin in
        cl_sleep_precisely()
        producer.play(from: origin, commit: commit)
      }
      recorder.waitForEnd(of: producers.reduce(0) { $0 + $1.startedCount })
      stop()
    }
    try conductor.join(after: runLoop)
    let origin = line.wait()
    for producer in producers { record(producer, from: origin, into: &slice) }
  }

  /// Records the ticks. Call after the last tick has ended.
  func finish(_ slice: inout Slice) {
    for tick in recorder.ticks { slice.record(nanoseconds: Double(tick), as: "tick") }
    slice.count(recorder.performed, as: "performed")
    slice.count(UInt64(recorder.ticks.count), as: "ticks")
  }

  /// Runs `body` for every producer in parallel, with the time at which the load
  /// begins, and waits for all of them. If the system cannot start a producer's
  /// thread, that producer's commits count as missed.
  private static func run(
    _ producers: ArraySlice<ReplayProducer>,
    cpu: Int?,
    _ line: StartingLine,
    _ body: @escaping @Sendable (_ producer: ReplayProducer, _ origin: UInt64) -> Void
  ) {
    guard let first = producers.first else { return }
    let others = producers.dropFirst()
    do {
      let thread = try PlacedThread(cpu: cpu) {
        line.arrive()
        body(first, line.wait())
      }
      run(others, cpu: cpu, line, body)
      thread.join()
    } catch {
      line.arrive()
      run(others, cpu: cpu, line, body)
    }
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

/// Makes a load begin when every producer's thread runs.
///
/// On a busy machine a new thread may run only after 100 ms, and its first commits
/// would be late.
package final class StartingLine: Sendable {
  private let absent: Atomic<Int>
  private let origin = Atomic<UInt64>(0)

  /// 5 ms, so that every thread has seen `origin` before the first commit is due.
  /// Not measured.
  private static let headStart: UInt64 = 5_000_000

  package init(count: Int) { absent = Atomic(count) }

  /// Counts a producer that runs, or that could not be started.
  package func arrive() {
    guard absent.wrappingSubtract(1, ordering: .relaxed).newValue == 0 else { return }
    // Relaxed: only the time itself is passed on.
    origin.store(cl_now() + Self.headStart, ordering: .relaxed)
  }

  /// Blocks until every producer has arrived. Returns the time at which the load
  /// begins.
  package func wait() -> UInt64 {
    while true {
      let time = origin.load(ordering: .relaxed)
      if time != 0 { return time }
      cl_sleep_until(cl_now() + 100_000)
    }
  }
}

/// The commits of one producer.
final class ReplayProducer: @unchecked Sendable {
  // @unchecked: the producer's thread writes `started`, and other threads read it
  // after they have joined that thread.
  let entries: [Int]
  let schedule: OpenLoopSchedule
  private(set) var started: [UInt64] = []

  /// A commit that starts more than 1 ms late counts as missed. Not measured.
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

/// Performs the actions of a load and records when each commit was performed.
///
/// Actions run one after the other. Only actions access the stored properties, except
/// `ended`.
final class ReplayRecorder: @unchecked Sendable {
  // @unchecked: actions never run concurrently. Other threads read the properties
  // only after `ended` shows that all commits were performed.

  let replay: Replay
  private let times: UnsafeMutableBufferPointer<Times>
  private var free: UInt64 = 0
  private var tickBegan: UInt64 = 0
  private(set) var ticks: [UInt64] = []
  private(set) var performed: UInt64 = 0
  private let ended = Atomic<Int>(0)

  struct Times {
    /// The time at which the previous action ended.
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

  /// Performs one action for all of `entries`. It takes as long as the cost of the
  /// newest entry.
  ///
  /// - Parameter endsTick: Whether the tick consists of this action only.
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

  /// Ends the tick if an action ran in it. Call before the loop blocks.
  func endTick() {
    guard tickBegan != 0 else { return }
    ticks.append(cl_now() - tickBegan)
    tickBegan = 0
  }

  /// Blocks until `count` commits were performed.
  func waitForEnd(of count: Int) {
    while ended.load(ordering: .acquiring) < count { cl_sleep_until(cl_now() + 100_000) }
  }
}

extension ReplayRecorder: Unreflected {}

extension StartingLine: Unreflected {}
