import LoopTransactions
import TestSupport

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The kinds of user code that a loop calls on its own thread.
enum Callback: String, CaseIterable, Codable, Sendable {
  // EventLoop.
  case post, function, call, observer, observersDeinit, timer, preciseTimer, timersDeinit, frame
  // Transactions.
  case action, errorHandler, targetsDeinit, performedAtOnce, merge
  // Queues.
  case handler, onDrain, releaseQueue
  // Operations.
  case completion, flightsCompletion, whenComplete, completionInWait, capturesOfCompletion
  case willBegin, didComplete, operationOnLoop, cancelledCaptures, cancelledFlightsCaptures
  case operationsCall, operationWithinAnother
  // Embedding.
  case onChange, onEnd
  // Event sources.
  case watcher, watchersDeinit, signal, child

  /// The callbacks in which closing traps.
  static let refused: [Callback] = [
    .merge, .willBegin, .operationOnLoop, .cancelledCaptures, .cancelledFlightsCaptures,
    .operationsCall, .operationWithinAnother, .onChange,
  ]

  /// The callbacks in which closing succeeds.
  static var closing: [Callback] { allCases.filter { !refused.contains($0) } }

  /// The name of the callback in the trap's message.
  var place: String {
    switch self {
    case .merge: "the merge of a Selector.Carrying"
    case .willBegin: "TransactionContainer.willBegin"
    case .onChange: "Embedding.onChange"
    case .operationOnLoop, .cancelledCaptures, .cancelledFlightsCaptures, .operationsCall,
      .operationWithinAnother:
      "an operation of transaction 'cards', or while its captures are released"
    default: ""
    }
  }

  /// Arranges this callback on the loop of `closer` for a run of the loop's
  /// host. The callback closes the loop.
  func arrange(_ closer: Closer) throws {
    let loop = closer.loop
    switch self {
    case .post: try loop.port.post { closer.close() }
    case .function:
      try loop.port.post(closeByContext, context: Unmanaged.passUnretained(closer).toOpaque())
    case .call:
      let port = loop.awaitedPort
      closer.kept.append(TestThread { try? port.postAndWait { closer.close() } })
    case .observer:
      loop.addObserver(for: .beforeWaiting) { _ in closer.close() }
      loop.addTimer(after: .zero) { _ in }
    case .observersDeinit:
      let witness = Witness { closer.close() }
      let observer = loop.addObserver(for: .exit) { _ in witness.touch() }
      loop.addTimer(after: .zero) { _ in observer.cancel() }
    case .timer: loop.addTimer(after: .zero, every: .milliseconds(1)) { _ in closer.close() }
    case .preciseTimer:
      try loop.addPreciseTimer(at: loop.now, every: .milliseconds(1)) { _ in closer.close() }
    case .timersDeinit:
      let witness = Witness { closer.close() }
      let timer = loop.addTimer(after: .seconds(3600)) { _ in witness.touch() }
      loop.addTimer(after: .zero) { _ in timer.cancel() }
    case .frame:
      closer.kept.append(
        try FrameClock(on: loop, framesPerSecond: 1000) { _ in closer.close() }
      )
    case .action, .errorHandler, .targetsDeinit, .performedAtOnce, .merge:
      arrangeTransaction(closer, loop)
    case .handler, .onDrain, .releaseQueue: arrangeQueue(closer, loop)
    case .onChange, .onEnd: arrangeHost(closer, loop)
    case .watcher, .watchersDeinit, .signal, .child: try arrangeSource(closer, loop)
    default: arrangeOperation(closer, loop)
    }
  }

  private func arrangeTransaction(_ closer: Closer, _ loop: EventLoop) {
    switch self {
    case .action: for _ in 0..<2 { loop.commit { closer.close() } }
    case .errorHandler:
      loop.errorHandler = { _ in closer.close() }
      loop.commit(closer, Selector<Closer>("throws") { _ in throw CancellationError() })
      loop.commit {}
    case .targetsDeinit:
      loop.commit(Witness { closer.close() }, Selector<Witness>("touch") { $0.touch() })
      loop.commit {}
    case .performedAtOnce:
      loop.addTimer(after: .zero) { [unowned loop] _ in
        loop.commit(closer, Self.close)
        _ = loop.performIfNeeded(closer, Self.close)
      }
    default:
      loop.addTimer(after: .zero) { [unowned loop] _ in
        for _ in 0..<2 { loop.commit(closer, Self.merging, closer) }
      }
    }
  }

  private static let close = Selector<Closer>("close") { $0.close() }

  private static let merging = Selector<Closer>.Carrying<Closer>(
    "merging",
    merge: { _, new in
      new.close()
      return new
    }
  ) { _, _ in }

  private func arrangeQueue(_ closer: Closer, _ loop: EventLoop) {
    let handler: ((Witness, Bool) -> Void)? =
      switch self {
      case .handler: { _, _ in closer.close() }
      case .onDrain: { _, _ in }
      default: nil
      }
    let queue = RunLoopQueue<Witness>(
      on: loop,
      onDrain: self == .onDrain ? { closer.close() } : nil,
      handler: handler
    )
    let isReleaseQueue = self == .releaseQueue
    for _ in 0..<2 { queue.enqueue(Witness { if isReleaseQueue { closer.close() } }) }
    closer.kept.append(queue)
  }

  private func arrangeHost(_ closer: Closer, _ loop: EventLoop) {
    switch self {
    case .onChange:
      closer.kept.append(Embedding(loop) { closer.close() })
      loop.commit {}
    default:
      let embedding = Embedding(loop, onEnd: { closer.close() })
      embedding.cancel()
    }
  }

  private func arrangeSource(_ closer: Closer, _ loop: EventLoop) throws {
    let pair = SocketPair()
    closer.kept.append(pair)
    switch self {
    case .watcher:
      for _ in 0..<2 { try loop.watch(pair.near, for: .writable) { _ in closer.close() } }
    case .watchersDeinit:
      let witness = Witness { closer.close() }
      let watcher = try loop.watch(pair.near, for: .readable) { _ in witness.touch() }
      loop.addTimer(after: .zero) { _ in watcher.cancel() }
    case .signal:
      for _ in 0..<2 { try loop.onSignal(SIGUSR2) { closer.close() } }
      Process.raise(SIGUSR2)
    default: try loop.onExit(of: Process.start("exit 0")) { _ in closer.close() }
    }
  }

  // MARK: Operations

  private func arrangeOperation(_ closer: Closer, _ loop: EventLoop) {
    let scheduler = OperationScheduler.alone(workers: 1)
    switch self {
    case .willBegin, .didComplete: return arrangeContainer(closer, loop, scheduler)
    case .operationOnLoop, .operationsCall, .cancelledCaptures, .cancelledFlightsCaptures,
      .operationWithinAnother:
      return arrangeWithin(closer, loop, scheduler)
    default: break
    }
    let transaction = AsyncTransaction(on: loop, name: "cards", scheduler: scheduler)
    switch self {
    case .flightsCompletion:
      transaction.add(SingleFlight<Int, Int>(on: scheduler), for: 1) { _ in
        1
      } completion: { _ in
        closer.close()
      }
    case .whenComplete:
      transaction.add { _ in }
      transaction.whenComplete { _ in closer.close() }
    case .capturesOfCompletion:
      let witness = Witness { closer.close() }
      transaction.add { _ in
      } completion: { _ in
        witness.touch()
      }
    default:
      transaction.add { _ in
      } completion: { _ in
        closer.close()
      }
    }
    transaction.add { _ in
    } completion: { _ in
    }
    if self == .completionInWait {
      loop.addTimer(after: .zero) { _ in transaction.waitUntilComplete() }
    } else {
      transaction.commit()
    }
  }

  private func arrangeContainer(
    _ closer: Closer,
    _ loop: EventLoop,
    _ scheduler: OperationScheduler
  ) {
    let container = TransactionContainer(on: loop, collects: true, scheduler: scheduler)
    closer.kept.append(container)
    if self == .didComplete {
      container.didComplete = { _ in closer.close() }
      container.transaction.add { _ in }
    } else {
      container.willBegin = { _ in closer.close() }
      loop.addTimer(after: .zero) { _ in container.transaction.add { _ in } }
    }
  }

  /// Arranges callbacks in which close() would wait for the callback itself.
  private func arrangeWithin(
    _ closer: Closer,
    _ loop: EventLoop,
    _ scheduler: OperationScheduler
  ) {
    let port = loop.port
    let transaction = AsyncTransaction(
      on: loop,
      name: "cards",
      scheduler: scheduler,
      start: .onCommit
    )
    switch self {
    case .operationsCall:
      transaction.add { _ in try port.postAndWait { closer.close() } }
      transaction.commit()
    case .operationOnLoop:
      closer.kept.append(FrozenWorkers(scheduler, 1))
      transaction.add { _ in closer.close() }
      loop.addTimer(after: .zero) { _ in transaction.waitUntilComplete() }
    case .operationWithinAnother:
      closer.kept.append(FrozenWorkers(scheduler, 1))
      transaction.add { _ in
        try withLoop { inner in
          let other = AsyncTransaction(on: inner, scheduler: scheduler)
          other.add { _ in closer.close() }
          other.waitUntilComplete()
        }
      }
      loop.addTimer(after: .zero) { _ in transaction.waitUntilComplete() }
    case .cancelledFlightsCaptures:
      closer.kept.append(FrozenWorkers(scheduler, 1))
      let flights = SingleFlight<Int, Void>(on: scheduler)
      Self.addCapturing(Witness { closer.close() }, to: transaction, flights)
      loop.addTimer(after: .zero) { _ in transaction.cancelInTime() }
    default:
      closer.kept.append(FrozenWorkers(scheduler, 1))
      Self.addCapturing(Witness { closer.close() }, to: transaction)
      loop.addTimer(after: .zero) { _ in transaction.cancelInTime() }
    }
  }

  /// Adds an operation with the only reference to `witness`.
  static func addCapturing(
    _ witness: consuming Witness,
    to transaction: AsyncTransaction,
    _ flights: SingleFlight<Int, Void>? = nil
  ) {
    let body: @Sendable (ScheduledOperation) -> Void = { [witness] _ in witness.touch() }
    if let flights {
      transaction.add(flights, for: 1, body)
    } else {
      transaction.add { [body] _ in withExtendedLifetime(body) {} }
    }
  }
}

private let closeByContext: PostedFunction = { context in
  guard let context else { return }
  Unmanaged<Closer>.fromOpaque(context).takeUnretainedValue().close()
}

extension AsyncTransaction {
  /// Cancels the transaction before a worker can begin one of its operations.
  func cancelInTime() {
    commit()
    cancel()
  }
}
