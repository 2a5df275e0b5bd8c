public import LoopTransactions

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// A loop of another kind, on the process's first thread.
@MainActor
public protocol TestedHost: AnyObject {
  /// How often the host has waited for events so far.
  var iterations: Int { get }

  /// The host's own way from another thread to its loop.
  nonisolated var call: @Sendable (@escaping @Sendable () -> Void) -> Void { get }

  /// Has the host's own timer call `body` after so many milliseconds. On its thread.
  func after(_ milliseconds: Int, _ body: @escaping @Sendable () -> Void)

  /// Runs until `stop()`.
  func run()

  /// Looks once for what is due, and does not wait.
  func pollOnce()

  /// Runs in a callback of a run, for so many milliseconds; the outer run may end with
  /// it.
  func runAnew(_ milliseconds: Int)

  /// Ends the run. Called in it.
  func stop()

  /// Lets the host run `loop`; returns how to end that.
  func serve(_ loop: EventLoop) throws -> @MainActor () -> Void
}

extension TestedHost {
  /// By a timer of the host's and a run of it.
  public func runAnew(_ milliseconds: Int) {
    let stop = Stop(self)
    after(milliseconds) { stop.now() }
    run()
  }
}

/// Runs the case that the command line names, on `host`.
@MainActor
public func runCase(on host: some TestedHost) throws {
  // It may wait for what never comes.
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
    "nested": { try $0.nested() },
    "polled": { try $0.polled() },
    "shortage": { try $0.shortage() },
  ]
  guard let name = CommandLine.arguments.dropFirst().first, let body = cases[name] else {
    fatalError("usage: one of \(cases.keys.sorted())")
  }
  try body(Cases(host))
}
