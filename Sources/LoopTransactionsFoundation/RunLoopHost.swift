private import CoreFoundation
private import Foundation
public import LoopTransactions
private import LoopTransactionsDispatch

/// Runs a loop by turns in Foundation's main run loop.
///
/// What is committed on the main thread, in a timer, a block or a source of the run
/// loop, is performed just before it waits, by an observer of its `beforeWaiting`
/// that comes after all others; or, for a run that is only a poll and does not wait,
/// just before that ends. Events, posts and timers of the loop are served in the run
/// loop's common modes. An idle loop costs nothing. While a callback of the loop runs
/// the run loop anew, as a modal dialog may, this one rests.
///
/// The loop has to be the main thread's. Belongs to it; the loop keeps the host until
/// `cancel()`, or until it is closed.
///
/// ```swift
/// let host = try RunLoopHost(loop)
/// RunLoop.main.run()
/// ```
///
/// After Core Animation, which commits its transactions so.
@MainActor
public final class RunLoopHost {
  private var embedding: Embedding?
  private var sources: LoopSources?
  private var observer: CFRunLoopObserver?
  // Whether the run loop will wait for what it was told last.
  private var isWaiting = false
  private var isTurning = false

  /// Lets the main run loop run `loop`, from now on.
  ///
  /// Call on the loop, while it is not running, on the main thread.
  ///
  /// - Throws: `UVError` if no descriptor is left; the loop is as it was then.
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

  /// Stops running the loop, which can be run in another way again.
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
    // Not retained: `ended()` comes before this goes.
    context.info = Unmanaged.passUnretained(self).toOpaque()
    observer = CFRunLoopObserverCreate(
      nil,
      RunLoopActivity.beforeWaiting | RunLoopActivity.afterWaiting | RunLoopActivity.exit,
      true,
      CFIndex.max,
      runLoopObserved,
      &context
    )
    CFRunLoopAddObserver(CFRunLoopGetMain(), observer, kCFRunLoopCommonModes)
  }
}

// kCFRunLoopBeforeWaiting and so on, which Swift does not see on Linux.
private enum RunLoopActivity {
  static let beforeWaiting: CFOptionFlags = 32
  static let afterWaiting: CFOptionFlags = 64
  static let exit: CFOptionFlags = 128
}

extension RunLoopHost {
  fileprivate func runLoopWillWait() {
    guard !isTurning else { return }
    if embedding?.nextTimeout == .zero { turn() }
    guard let timeout = embedding?.nextTimeout else { return isWaiting = true }
    isWaiting = true
    if timeout == .zero { return CFRunLoopWakeUp(CFRunLoopGetMain()) }
    sources?.arm(timeout)
  }

  fileprivate func runLoopHasWaited() { isWaiting = false }

  /// A run of the run loop ends. One that only polls has told of no waiting, and one
  /// that has served a source tells of none after it.
  fileprivate func runLoopExits() {
    guard !isTurning, embedding?.nextTimeout == .zero else { return }
    turn()
  }

  /// The descriptor is readable, a timer due, or something owed.
  private func turn() {
    // Within a callback of the loop. The run loop asks again when that has returned.
    guard !isTurning else {
      sources?.suspend()
      return
    }
    isTurning = true
    embedding?.turn()
    isTurning = false
    sources?.resume()
  }

  /// The run loop asks before it waits, and at its end. Only another observer can come
  /// in between.
  private func changed() { if isWaiting { CFRunLoopWakeUp(CFRunLoopGetMain()) } }
}

private func runLoopObserved(
  _ observer: CFRunLoopObserver?,
  _ activity: CFRunLoopActivity,
  _ context: UnsafeMutableRawPointer?
) {
  guard let context else { return }
  let host = Unmanaged<RunLoopHost>.fromOpaque(context)
  // The main run loop calls on the main thread.
  MainActor.assumeIsolated {
    let host = host.takeUnretainedValue()
    switch activity.rawValue {
    case RunLoopActivity.beforeWaiting: host.runLoopWillWait()
    case RunLoopActivity.afterWaiting: host.runLoopHasWaited()
    default: host.runLoopExits()
    }
  }
}
