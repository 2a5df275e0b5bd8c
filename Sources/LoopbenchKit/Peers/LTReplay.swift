private import CLoopbench
import LoopTransactions

/// `replay` by commits to an `EventLoop`, which coalesces them.
struct LTReplay: Peer {
  let name = "lt"
  let scenario = "replay"
  let series = ["performed"]
  let summary = "LoopPort.commit, EventLoop.commit for thread 0: pending pairs coalesce"
  let replay: Replay

  func measure(_ slice: inout Slice) throws(PeerFailure) {
    let player = ReplayPlayer(replay)
    try EventLoop.measuring { (loop) throws(PeerFailure) in
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

/// The targets of a load, and the loop they are committed to.
private final class LoopStage: @unchecked Sendable {
  // @unchecked: `loop` is touched by what it runs itself only.
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

  // `try?`: the loop is closed after the last commit was performed.
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

/// A pair of target and selector of a load, with the commits that wait for it.
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
