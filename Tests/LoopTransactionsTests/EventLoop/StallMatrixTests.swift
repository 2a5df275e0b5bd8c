import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

/// Where work is committed.
enum CommitPlace: CaseIterable, Sendable {
  case beforeRun, timer, idle, earlierPrepare, laterPrepare, insideFlush
  case async, poll, earlierCheck, laterCheck, closeCallback
}

/// What is committed.
enum CommitWork: CaseIterable, Sendable {
  case transaction, post, element, observer
}

/// How much of the loop is run.
enum CommitMode: CaseIterable, Sendable {
  case whole, once, noWait
}

/// What the callback that commits does besides.
enum CommitEnding: CaseIterable, Sendable {
  /// A timer of 100 ms is left to wait for.
  case alive
  /// Nothing is left to wait for.
  case lastHandleDropped
  /// The loop is told to stop.
  case stop
}

/// One cell of the matrix: a host's libuv loop, a handle of the host's that
/// commits from its callback, and a trace of what came when.
private final class Cell {
  let work: CommitWork
  let place: CommitPlace
  let ending: CommitEnding
  let trace = Trace()

  private let host = ForeignLoop()
  private var loop: EventLoop?
  private var handle: ForeignHandle?
  private var timer: ForeignHandle?
  private var queue: RunLoopQueue<Witness>?
  private var observer: Observer?

  init(_ work: CommitWork, _ place: CommitPlace, _ ending: CommitEnding) {
    self.work = work
    self.place = place
    self.ending = ending
  }

  /// What happened in one run.
  func events(_ mode: CommitMode) throws -> [String] {
    // libuv runs what was started last first: these come after ours.
    switch place {
    case .laterPrepare: handle = open(.prepare)
    case .laterCheck: handle = open(.check)
    default: break
    }
    let loop = try EventLoop(adopting: host.address)
    self.loop = loop
    // A run of one tick performs no more than its budget allows, and this process
    // may lose the processor for longer than 4 ms.
    loop.budget = .unlimited
    queue = RunLoopQueue(on: loop) { [trace] _, _ in trace.record("performed") }
    observer = loop.addObserver(for: [.beforeWaiting, .exit]) { [trace] _ in
      trace.record("performed")
    }
    observer?.isResting = true
    if ending == .alive {
      timer = ForeignHandle(.timer, on: host.address) { [trace] _ in trace.record("timer") }
      timer?.start(afterMilliseconds: 100)
    }
    prepare(loop)
    Interposed.beforeBlocking({ [trace] _ in trace.record("blocks") }) { run(loop, mode) }
    trace.record("returned")
    timer?.close()
    handle?.close()
    queue = nil
    try loop.close()
    guard host.close() else { throw HandlesLeftOpen() }
    return trace.events
  }

  private func run(_ loop: EventLoop, _ mode: CommitMode) {
    switch mode {
    case .whole: loop.run()
    case .once: loop.run(.once)
    case .noWait: loop.run(.noWait)
    }
  }

  private func open(_ kind: ForeignHandle.Kind) -> ForeignHandle {
    ForeignHandle(kind, on: host.address) { [unowned self] handle in
      commit()
      handle.stop()
    }.start()
  }

  private func prepare(_ loop: EventLoop) {
    switch place {
    case .beforeRun: commit()
    case .insideFlush: loop.commit { [unowned self] in commit() }
    case .timer: handle = open(.timer)
    case .idle: handle = open(.idle)
    case .earlierPrepare: handle = open(.prepare)
    case .earlierCheck: handle = open(.check)
    case .async, .poll:
      handle = open(place == .async ? .async : .poll)
      handle?.send()
    case .closeCallback:
      ForeignHandle(.idle, on: host.address) { _ in }.close { [unowned self] in commit() }
    case .laterPrepare, .laterCheck: break
    }
    // A check is reached by a poll that does not block.
    if place == .earlierCheck || place == .laterCheck { skipWait() }
  }

  private func skipWait() {
    ForeignHandle(.idle, on: host.address) { $0.close() }.start()
  }

  private func commit() {
    guard let loop else { return }
    trace.record("committed")
    switch work {
    case .transaction: loop.commit { [trace] in trace.record("performed") }
    case .post:
      // Not held: the run waits for a port no longer than for what is owed.
      try? loop.port.post { [trace] in trace.record("performed") }
    case .element: queue?.enqueue(Witness {})
    case .observer: observer?.hasPendingWork = true
    }
    if ending == .stop { loop.stop() }
  }
}

@Suite("No stall")
struct StallMatrixTests {
  /// 307 cells: each place, mode and ending, except that a run which is stopped, or
  /// asked for one tick, leaves elements in their queue, and that a run of one tick
  /// leaves what its flush commits.
  static let cells = CommitWork.allCases.flatMap { work in
    CommitPlace.allCases.flatMap { place in
      CommitMode.allCases.flatMap { mode in
        CommitEnding.allCases.compactMap { ending in
          let isLeft =
            switch work {
            case .element: mode != .whole || ending == .stop
            case .transaction, .observer: mode != .whole && place == .insideFlush
            case .post: false
            }
          return isLeft ? nil : (work, place, mode, ending)
        }
      }
    }
  }

  @Test(
    "what is committed anywhere is performed before the loop blocks, or the run returns",
    arguments: cells
  )  // L5
  func performed(
    work: CommitWork,
    place: CommitPlace,
    mode: CommitMode,
    ending: CommitEnding
  ) throws {
    let events = try Cell(work, place, ending).events(mode)
    // The poll that brings the event may block; then nothing comes between: no
    // blocking poll, no timer, no return.
    #expect(events.drop { $0 == "blocks" }.prefix(2) == ["committed", "performed"])
    #expect(events.filter { $0 == "performed" }.count == 1)
  }

  @Test("the matrix has 307 cells")
  func cellCount() { #expect(Self.cells.count == 307) }
}
