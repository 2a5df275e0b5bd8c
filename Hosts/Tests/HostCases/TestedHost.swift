public import LoopTransactions

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// A host loop under test. Runs on the first thread of the process.
@MainActor
public protocol TestedHost: AnyObject {
  /// The number of times the host has waited for events.
  var iterations: Int { get }

  /// Calls a closure on the host's loop from another thread, with the host's own
  /// function.
  nonisolated var call: @Sendable (@escaping @Sendable () -> Void) -> Void { get }

  /// Calls `body` on the host's thread after a delay, with the host's own timer.
  func after(_ milliseconds: Int, _ body: @escaping @Sendable () -> Void)

  /// Calls `body` about once per millisecond on the host's thread, as an event of the
  /// host's own kind, until it returns false. Its argument is the time when the event
  /// was due.
  func everyMillisecond(_ body: @escaping @Sendable (LoopClock.Instant) -> Bool)

  /// Runs until `stop()` is called.
  func run()

  /// Handles the due events without waiting.
  func pollOnce()

  /// Runs the host recursively, inside a callback, for a number of milliseconds. The
  /// outer run may end together with the recursive run.
  func runAnew(_ milliseconds: Int)

  /// Ends the run. Called inside the run.
  func stop()

  /// Makes the host run `loop`. Returns a function that stops running `loop`.
  func serve(_ loop: EventLoop) throws -> @MainActor () -> Void
}

extension TestedHost {
  /// Uses a timer of the host.
  public func everyMillisecond(_ body: @escaping @Sendable (LoopClock.Instant) -> Bool) {
    // nonisolated(unsafe): used on the main thread only, where the host calls the
    // closure.
    nonisolated(unsafe) let host: any TestedHost = self
    let due = LoopClock.now.advanced(by: .milliseconds(1))
    after(1) {
      guard body(due) else { return }
      MainActor.assumeIsolated { host.everyMillisecond(body) }
    }
  }

  /// Uses a timer of the host to end a recursive run.
  public func runAnew(_ milliseconds: Int) {
    let stop = Stop(self)
    after(milliseconds) { stop.now() }
    run()
  }
}

/// Makes `loop`, which a host runs, serve the main queue too. Returns a function that
/// stops both; `stop` stops the host.
@MainActor
public func servingMainQueue(
  on loop: EventLoop,
  _ stop: @escaping @MainActor () -> Void
) throws -> @MainActor () -> Void {
  let bridge = try MainQueueBridge(on: loop)
  return {
    stop()
    bridge.cancel()
  }
}

/// Runs the case that the command line names on `host`.
@MainActor
public func runCase(on host: some TestedHost) throws {
  // Kills the process if an event never arrives.
  alarm(60)
  let cases: [String: @MainActor (Cases) throws -> Void] = [
    "timers": { try $0.timers() },
    "commits": { try $0.commits() },
    "posts": { try $0.posts() },
    "idle": { try $0.idle() },
    "hops": { try $0.hops() },
    "pinned": { try $0.pinned() },
    "ends": { try $0.ends() },
    "busy": { try $0.busy() },
    "fair": { try $0.fair() },
    "nested": { try $0.nested() },
    "polled": { try $0.polled() },
    "shortage": { try $0.shortage() },
    "lateness": { try $0.lateness() },
    "traced": { try $0.traced() },
    "observed": { try $0.observed() },
  ]
  guard let name = CommandLine.arguments.dropFirst().first, let body = cases[name] else {
    fatalError("usage: one of \(cases.keys.sorted())")
  }
  try body(Cases(host))
}
