private import CoreFoundation
private import Foundation
public import LoopTransactions
private import LoopTransactionsDispatch

/// Runs a loop in turns in Foundation's main run loop.
///
/// Commits made on the main thread, in a timer, block or source of the run
/// loop, are performed just before the run loop waits, by a `beforeWaiting`
/// observer that comes after all others. If a run of the run loop only polls
/// and does not wait, they are performed just before that run ends. The loop's
/// events, posts and timers are served in the run loop's common modes. An idle
/// loop uses no CPU. If a callback of the loop runs a nested run loop, as a
/// modal dialog may, the loop is suspended until the nested run ends.
///
/// A `LoopWatchdog` of the loop also reports blocks of the main queue, main-actor
/// tasks and other callbacks that hold the run loop between two turns.
///
/// The loop must belong to the main thread, and so does the host. The loop
/// keeps the host until `cancel()`, or until the loop is closed.
///
/// ```swift
/// let host = try RunLoopHost(loop)
/// RunLoop.main.run()
/// ```
///
/// Modelled on Core Animation, which commits its transactions in the same way.
@MainActor
public final class RunLoopHost {
  private var embedding: Embedding?
  private var sources: LoopSources?
  private var observer: CFRunLoopObserver?
  // Whether the run loop is waiting, or is about to wait, with the timeout that
  // was set last.
  private var isWaiting = false
  private var isTurning = false

  /// Starts running `loop` in the main run loop.
  ///
  /// Call on the loop, on the main thread, while the loop is not running.
  ///
  /// - Throws: `UVError` if the system is out of descriptors. The loop is then
  ///   unchanged.
  /// - Precondition: The loop is not embedded already.
  public init(_ loop: EventLoop) throws(UVError) {
    (embedding, sources) = try LoopSources.embed(loop, for: "RunLoopHost.init") { [self] in
      changed()
    } onEnd: { [self] in
      ended()
    } turn: { [weak self] in
      self?.turn()
    }
    observe()
  }

  /// Stops running the loop. The loop can then be run in another way.
  ///
  /// Call on the loop, outside of a turn. Cancelling again does nothing.
  public func cancel() { embedding?.cancel() }

  private func ended() {
    embedding = nil
    sources?.cancel()
    sources = nil
    if let observer { CFRunLoopObserverInvalidate(observer) }
    observer = nil
  }

  private func observe() {
    var context = CFRunLoopObserverContext()
    // Not retained: `ended()` invalidates the observer before the host is
    // freed.
    context.info = Unmanaged.passUnretained(self).toOpaque()
    observer = CFRunLoopObserverCreate(
      nil,
      RunLoopActivity.all,
      true,
      CFIndex.max,
      runLoopObserved,
      &context
    )
    CFRunLoopAddObserver(CFRunLoopGetMain(), observer, kCFRunLoopCommonModes)
  }
}

// The values of kCFRunLoopBeforeWaiting and others, which Swift does not import
// on Linux.
private enum RunLoopActivity {
  static let entry: CFOptionFlags = 1
  static let beforeWaiting: CFOptionFlags = 32
  static let afterWaiting: CFOptionFlags = 64
  static let exit: CFOptionFlags = 128
  static let all = entry | beforeWaiting | afterWaiting | exit
}

extension RunLoopHost {
  fileprivate func runLoopWillWait() {
    guard !isTurning else { return }
    if embedding?.nextTimeout == .zero { turn() }
    embedding?.hostWillWait()
    guard let timeout = embedding?.nextTimeout else { return isWaiting = true }
    isWaiting = true
    if timeout == .zero { return CFRunLoopWakeUp(CFRunLoopGetMain()) }
    sources?.arm(timeout)
  }

  /// Called when a run of the run loop begins. It may call blocks before it
  /// waits.
  fileprivate func runLoopBegins() { publishWork() }

  fileprivate func runLoopHasWaited() {
    isWaiting = false
    publishWork()
  }

  // The run loop drains the main queue itself, so a watchdog learns of its blocks
  // only here.
  private func publishWork() {
    if !isTurning { embedding?.hostDidWake("main queue or run loop") }
  }

  /// Called when a run of the run loop ends. A run that only polls, or that
  /// ends after a source, calls no `beforeWaiting` observer.
  fileprivate func runLoopExits() {
    guard !isTurning else { return }
    if embedding?.nextTimeout == .zero { turn() }
    embedding?.hostWillWait()
  }

  /// Makes a turn. Called when the descriptor is readable, a timer is due, or
  /// work is pending.
  private func turn() {
    // No turn can be made inside a callback of the loop. The run loop asks
    // again after the callback has returned.
    guard !isTurning else {
      sources?.suspend()
      return
    }
    isTurning = true
    embedding?.turn()
    isTurning = false
    publishWork()
    sources?.resume()
  }

  /// The run loop asks for the timeout before it waits and when a run ends. In
  /// between, only another observer can change the timeout.
  private func changed() { if isWaiting { CFRunLoopWakeUp(CFRunLoopGetMain()) } }
}

private func runLoopObserved(
  _ observer: CFRunLoopObserver?,
  _ activity: CFRunLoopActivity,
  _ context: UnsafeMutableRawPointer?
) {
  guard let context else { return }
  let host = Unmanaged<RunLoopHost>.fromOpaque(context)
  // The main run loop calls its observers on the main thread.
  MainActor.assumeIsolated {
    let host = host.takeUnretainedValue()
    switch activity.rawValue {
    case RunLoopActivity.entry: host.runLoopBegins()
    case RunLoopActivity.beforeWaiting: host.runLoopWillWait()
    case RunLoopActivity.afterWaiting: host.runLoopHasWaited()
    default: host.runLoopExits()
    }
  }
}

extension RunLoopHost: CustomReflectable {
  /// An empty mirror: the host belongs to the main actor, but a mirror may be
  /// requested on any thread.
  public nonisolated var customMirror: Mirror { Mirror(self, children: [:]) }
}
