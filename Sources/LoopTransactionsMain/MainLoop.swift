import LoopTransactions
import Synchronization

/// The loop of the main actor, and the bridge that serves `DispatchQueue.main`
/// on it. Neither is ever closed by this library: the process ends first.
enum MainLoop {
  // nonisolated(unsafe): accessed on the first thread only, which `make` checks.
  nonisolated(unsafe) private static var loop: EventLoop?
  nonisolated(unsafe) private static var bridge: MainQueueBridge?

  // The address of the loop's port, which is retained for the life of the
  // process; or 0.
  private static let portAddress = Atomic<UInt>(0)

  // The number of threads that hand a job to the main queue at the moment.
  private static let early = Atomic<Int>(0)

  /// The port of the loop, once the loop exists.
  ///
  /// Call from any thread.
  static var port: Unmanaged<LoopPort>? {
    // Sequentially consistent, for `enqueue`: it costs no more than an acquiring
    // load on x86-64 and AArch64.
    let address = portAddress.load(ordering: .sequentiallyConsistent)
    return UnsafeRawPointer(bitPattern: address).map(Unmanaged.fromOpaque)
  }

  /// Enqueues a job of the main actor on the loop, or calls `toMainQueue` if
  /// there is none.
  ///
  /// Call from any thread.
  static func enqueue(_ job: UnownedJob, orElse toMainQueue: (UnownedJob) -> Void) {
    if enqueueOnLoop(job) { return }
    // Sequentially consistent: either `make` sees this thread and waits for it,
    // or this thread sees the port.
    early.add(1, ordering: .sequentiallyConsistent)
    if !enqueueOnLoop(job) { toMainQueue(job) }
    early.subtract(1, ordering: .sequentiallyConsistent)
  }

  private static func enqueueOnLoop(_ job: UnownedJob) -> Bool {
    port?._withUnsafeGuaranteedRef { $0.enqueueOnMainActor(job) } ?? false
  }

  /// Returns the loop. The first call creates it.
  static func make(_ operation: StaticString) -> EventLoop {
    guard System.isMainThread else {
      fatalError("\(operation): call it on the process's first thread")
    }
    if let loop { return loop }
    do {
      let new = try EventLoop()
      bridge = try makeBridge(on: new)
      new.addObserver(for: .entry) { _ in checkNotInTask() }
      new.performWorkAtExit("EventLoop.main")
      loop = new
      publish(new)
      return new
    } catch {
      fatalError("\(operation): creating the main actor's loop failed: \(error)")
    }
  }

  /// Makes the main actor's jobs go to `loop`, behind those that are in the main
  /// queue.
  private static func publish(_ loop: EventLoop) {
    // Order: the loop runs its own posts before those of other threads.
    loop.post { bridge?.mainQueueHasWork() }
    let port = UInt(bitPattern: Unmanaged.passRetained(loop.port).toOpaque())
    // Sequentially consistent, for `enqueue`.
    portAddress.store(port, ordering: .sequentiallyConsistent)
    while early.load(ordering: .sequentiallyConsistent) > 0 { System.yield() }
  }

  private static func makeBridge(on loop: EventLoop) throws -> MainQueueBridge {
    do { return try MainQueueBridge(onMainActorsLoop: loop) } catch {
      // Releasing an open loop would be reported, too. `try?`: the first error is
      // the one to report.
      try? loop.close()
      throw error
    }
  }

  /// Runs the loop for an asynchronous `main`, which ends the process when it
  /// returns.
  static func serveMain() -> Never {
    let loop = make("LoopTransactionsMain")
    let result = loop.run()
    // If this returned, the runtime would end the process with exit code 0.
    fatalError(
      """
      EventLoop.main: the run ended (\(result)) before main returned; do not call stop() on the \
      loop or its port, and return from main to end the program
      """
    )
  }

  private static func checkNotInTask() {
    // The main actor's other jobs would run in the middle of this one.
    guard withUnsafeCurrentTask(body: { $0 != nil }) else { return }
    fatalError(
      """
      EventLoop.run: must not be called on EventLoop.main from a task; await something instead, \
      which lets the loop run
      """
    )
  }
}
