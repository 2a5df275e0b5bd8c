private import CLoopbench
import LoopTransactions

extension Scenario {
  /// Playing a recorded load at its recorded times, as an open loop.
  package static func replay(_ replay: Replay) -> Scenario {
    let performed = Series(
      name: "performed",
      summary: "from when a commit was due until its action was performed",
      workload: Workload(warmUps: 0, samples: max(1, replay.entries.count), operations: 1),
      placement: .across,
      kind: .intended
    )
    return Scenario(
      name: "replay",
      summary:
        "a recorded load of \(String.counted(replay.entries.count, "commit")),"
        + " \(String.counted(replay.producers.count, "thread")),"
        + " \(String.counted(replay.actions.count, "action"))",
      series: [
        performed,
        Series(
          name: "performed.service",
          summary: "like performed, but from the commit, or from the last action's end if later",
          recordedWith: performed,
          kind: .service
        ),
        Series(
          name: "performed.lag",
          summary: "the lateness of the player itself: from when a commit was due to the commit",
          recordedWith: performed,
          kind: .lag
        ),
        Series(
          name: "tick",
          summary: "from a tick's first action until the loop is about to wait again",
          recordedWith: performed,
          kind: .service
        ),
      ],
      details: """
        A recorded load: the producer, the time, the action and the cost of each commit. Each producer
        has a thread, and commits at the recorded times. It does not wait for the loop.

          schedule   due ── lag ── commit ───────────────┐
          loop       (asleep, or busy) ── cost ──── performed
          performed  ├───────────────────────────────────┤
          tick                         ├────────────────┤  until the loop is about to wait again

        `lt` performs one action for all pending commits of a target and selector. `uv` and `dispatch`
        perform each commit. The table is followed by the number of performed actions and of ticks.
        """
    )
  }
}

extension Registry {
  /// The scenario `replay` for one recorded load, and the peers that play it.
  package static func replay(_ replay: Replay) -> Registry {
    Registry(
      scenarios: [.replay(replay)],
      peers: [
        QueueReplay<UVQueue>(replay: replay),
        LTReplay(replay: replay),
        QueueReplay<DispatchedQueue>(replay: replay),
      ]
    )
  }
}

/// `replay` with commits to an `EventLoop`, which coalesces pending commits.
struct LTReplay: Peer {
  let name = "lt"
  let scenario = "replay"
  let series = ["performed"]
  let summary = "LoopPort.commit, EventLoop.commit for thread 0: pending pairs coalesce"
  let replay: Replay

  func measure(_ slice: inout Slice) throws(PeerError) {
    let player = ReplayPlayer(replay)
    try EventLoop.measuring { (loop) throws(PeerError) in
      let port = loop.port
      loop.waitsForPosts = true
      let stage = LoopStage(player, loop: loop)
      loop.addObserver(for: .beforeWaiting, order: .max) { [recorder = player.recorder] _ in
        recorder.endTick()
      }
      try player.play(
        &slice,
        commit: { stage.commit($0) },
        stop: { port.stop() },
        runLoop: { loop.run() }
      )
      player.recorder.endTick()
    }
    player.finish(&slice)
  }
}

/// The targets of a load, and the loop to which they are committed.
private final class LoopStage: @unchecked Sendable {
  // @unchecked: `loop` is used only by functions that it runs itself.
  private let loop: EventLoop
  private let port: LoopPort
  private let entries: [Replay.Entry]
  private let targets: [ReplayTarget]

  init(_ player: ReplayPlayer, loop: EventLoop) {
    self.loop = loop
    port = loop.port
    entries = player.replay.entries
    targets = player.replay.actions.map { _ in ReplayTarget(player.recorder) }
  }

  // try?: a post fails only on a closed loop, and the loop is closed after the
  // last commit was performed.
  func commit(_ entry: Int) {
    let target = targets[entries[entry].action]
    if entries[entry].producer == 0 {
      try? port.post { [self] in
        target.add(entry)
        loop.commit(target, ReplayTarget.perform)
      }
    } else {
      target.add(entry)
      try? port.commit(target, ReplayTarget.perform)
    }
  }
}

/// An action of a load, with its pending commits.
private final class ReplayTarget: Sendable {
  static let perform = Selector<ReplayTarget>("perform") { $0.perform() }

  private let recorder: ReplayRecorder
  private let waiting = Locked<[Int]>([])

  init(_ recorder: ReplayRecorder) {
    self.recorder = recorder
  }

  func add(_ entry: Int) {
    waiting.withLock { $0.append(entry) }
  }

  private func perform() {
    let entries = waiting.withLock { waiting in
      defer { waiting.removeAll() }
      return waiting
    }
    recorder.perform(entries)
  }
}

/// `replay` with any `FunctionQueue`. Each commit is one function; nothing
/// coalesces.
struct QueueReplay<Runner: FunctionQueue>: RunnerPeer {
  let scenario = "replay"
  let series = ["performed"]
  let replay: Replay

  var summary: String { Runner.summary + "; nothing coalesces" }

  func measure(_ slice: inout Slice) throws(PeerError) {
    let player = ReplayPlayer(replay)
    let stage = ReplayStage(player)
    try Runner.open(cpu: slice.seats.loop).closing { (queue) throws(PeerError) in
      stage.set(on: queue)
      try player.play(
        &slice,
        commit: { stage.commit($0) },
        stop: { queue.stop() },
        runLoop: { queue.run() }
      )
    }
    // The queue has been closed, so no function uses the stage any longer.
    player.finish(&slice)
    withExtendedLifetime(stage) {}
  }
}

/// The functions of a load. Each entry has a function that performs it. Each entry
/// of the loop's own thread also has a function that commits it.
private final class ReplayStage: @unchecked Sendable {
  // @unchecked: the properties are set before any producer starts and do not change
  // afterwards.
  private let recorder: ReplayRecorder
  private var queue: (any FunctionQueue)?
  private var performers: [CallbackBox] = []
  private var committers: [Int: CallbackBox] = [:]
  private let tickEnd: CallbackBox

  init(_ player: ReplayPlayer) {
    recorder = player.recorder
    tickEnd = CallbackBox { [recorder = player.recorder] in recorder.endTick() }
  }

  func set(on queue: some FunctionQueue) {
    self.queue = queue
    let hasTicks = queue.beforeWaiting(CallbackBox.call, context: tickEnd.address)
    for (index, entry) in recorder.replay.entries.enumerated() {
      let performer = CallbackBox { [recorder] in
        recorder.perform(CollectionOfOne(index), endsTick: !hasTicks)
      }
      performers.append(performer)
      guard entry.producer == 0 else { continue }
      committers[index] = CallbackBox { queue.post(CallbackBox.call, context: performer.address) }
    }
  }

  func commit(_ entry: Int) {
    let caller = committers[entry] ?? performers[entry]
    queue?.post(CallbackBox.call, context: caller.address)
  }
}
