/// `replay` through whatever runs functions: each commit is one function, and
/// nothing coalesces.
struct QueueReplay<Queue: FunctionQueue>: Peer {
  let scenario = "replay"
  let series = ["performed"]
  let isReference = true
  let replay: Replay

  var name: String { Queue.name }
  var summary: String { Queue.summary + "; nothing coalesces" }
  var unavailability: String? { Queue.unavailability }

  func measure(_ slice: inout Slice) throws(PeerFailure) {
    let player = ReplayPlayer(replay)
    let stage = ReplayStage<Queue>(player)
    try Queue.using(cpu: slice.seats.loop) { (queue) throws(PeerFailure) in
      stage.set(on: queue)
      try player.play(
        &slice,
        commit: { stage.commit($0) },
        stop: { queue.stop() },
        runLoop: { queue.run() }
      )
    }
    // The queue is closed: no function is under way that could touch it.
    player.finish(&slice)
    withExtendedLifetime(stage) {}
  }
}

/// The functions of a load: what performs each entry, and what commits those
/// that the loop itself has to.
private final class ReplayStage<Queue: FunctionQueue>: @unchecked Sendable {
  // @unchecked: set before any thread plays, and not changed afterwards.
  private let recorder: ReplayRecorder
  private var queue: Queue?
  private var performers: [Caller] = []
  private var committers: [Int: Caller] = [:]
  private let tickEnd: Caller

  init(_ player: ReplayPlayer) {
    recorder = player.recorder
    tickEnd = Caller { [recorder = player.recorder] in recorder.endTick() }
  }

  func set(on queue: Queue) {
    self.queue = queue
    let hasTicks = queue.beforeWaiting(Caller.call, context: tickEnd.address)
    for (index, entry) in recorder.replay.entries.enumerated() {
      let performer = Caller { [recorder] in
        recorder.perform(CollectionOfOne(index), endsTick: !hasTicks)
      }
      performers.append(performer)
      guard entry.producer == 0 else { continue }
      committers[index] = Caller { queue.post(Caller.call, context: performer.address) }
    }
  }

  func commit(_ entry: Int) {
    let caller = committers[entry] ?? performers[entry]
    queue?.post(Caller.call, context: caller.address)
  }
}
