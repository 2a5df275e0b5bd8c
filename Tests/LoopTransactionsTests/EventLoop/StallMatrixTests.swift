import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

/// The place from which work is committed.
enum CommitPlace: CaseIterable, Sendable {
  case beforeRun, timer, idle, earlierPrepare, laterPrepare, insideFlush
  case async, poll, earlierCheck, laterCheck, closeCallback
}

/// The kind of work that is committed.
enum CommitWork: CaseIterable, Sendable {
  case transaction, post, element, observer
}

/// The run mode.
enum CommitMode: CaseIterable, Sendable {
  case whole, once, noWait
}

/// The state in which the committing callback leaves the loop.
enum CommitEnding: CaseIterable, Sendable {
  /// A timer of 100 ms keeps the loop alive.
  case alive
  /// No active handle is left.
  case lastHandleDropped
  /// The loop is stopped.
  case stop
}

/// One cell of the matrix: a host's libuv loop, a host's handle that commits in
/// its callback, and a trace of the events.
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

  /// The events of one run.
  func events(_ mode: CommitMode) throws -> [String] {
    // libuv calls prepare and check handles in the reverse order of their
    // start, so these run after the loop's own.
    switch place {
    case .laterPrepare: handle = open(.prepare)
    case .laterCheck: handle = open(.check)
    default: break
    }
    let loop = try EventLoop(adopting: host.address)
    self.loop = loop
    // Remove the limit of 4 ms, because this process may lose the processor for
    // longer. A run of one tick performs no more than its budget allows.
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
    // Keep the poll from blocking, so that the tick reaches its check handles.
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
      // The port is not retained, so the run waits only for the pending work.
      try? loop.port.post { [trace] in trace.record("performed") }
    case .element: queue?.enqueue(Witness {})
    case .observer: observer?.hasPendingWork = true
    }
    if ending == .stop { loop.stop() }
  }
}

@Suite("No stall")
struct StallMatrixTests {
  /// The 307 cells are all combinations except those in which the run leaves
  /// the work to the next run. A run that is stopped or makes one tick leaves
  /// elements in their queue. A run of one tick leaves commits made by its
  /// flush.
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
    "a commit from any place is performed before the loop blocks or the run returns",
    arguments: cells
  )  // L5
  func performed(
    work: CommitWork,
    place: CommitPlace,
    mode: CommitMode,
    ending: CommitEnding
  ) throws {
    let events = try Cell(work, place, ending).events(mode)
    // The poll that receives the event may block. Between the commit and the
    // action there must be no blocking poll, no timer and no return. The timer
    // fires earlier if this process loses the processor for 100 ms.
    let rest = events.drop { $0 == "blocks" || $0 == "timer" }
    #expect(rest.prefix(2) == ["committed", "performed"])
    #expect(events.filter { $0 == "performed" }.count == 1)
  }

  @Test("the matrix has 307 cells")
  func cellCount() { #expect(Self.cells.count == 307) }
}
