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

  /// The port of the loop, once the loop exists.
  ///
  /// Call from any thread.
  static var port: Unmanaged<LoopPort>? {
    // Acquire: pairs with the release in `make`.
    let address = UnsafeRawPointer(bitPattern: portAddress.load(ordering: .acquiring))
    return address.map(Unmanaged.fromOpaque)
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
      loop = new
      let port = UInt(bitPattern: Unmanaged.passRetained(new.port).toOpaque())
      // Release: a thread that reads the address sees the port.
      portAddress.store(port, ordering: .releasing)
      return new
    } catch {
      fatalError("\(operation): creating the main actor's loop failed: \(error)")
    }
  }

  private static func makeBridge(on loop: EventLoop) throws -> MainQueueBridge {
    do { return try MainQueueBridge(onMainActorsLoop: loop) } catch {
      // Releasing an open loop would trap first, with another message. `try?`:
      // the first error is the one to report.
      try? loop.close()
      throw error
    }
  }

  /// Runs the loop for an asynchronous `main`, which ends the process when it
  /// returns.
  static func serveMain() -> Never {
    let loop = make("LoopTransactionsMain")
    // Order: jobs that were enqueued before the loop existed are in the main
    // queue, and run before all later ones.
    bridge?.mainQueueHasWork()
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
