/// Calls a closure on the loop when the process receives a signal.
///
/// Created by `EventLoop.onSignal`. The loop keeps a watcher until it is
/// cancelled. A watcher belongs to the loop's thread.
///
/// Corresponds to `uv_signal_t` in libuv and `DispatchSourceSignal` in
/// Dispatch.
public final class SignalWatcher {
  /// The number of the signal, such as `SIGTERM`.
  public let signal: Int32

  let core: PortCore
  private let place: SourcePlace
  private let list: SignalList
  private var body: (() -> Void)?  // loop only
  private var source: SignalSource?  // loop only
  private var isWaitedFor = true  // loop only

  init(
    _ signal: Int32,
    in list: SignalList,
    loop: EventLoop,
    place: SourcePlace,
    _ body: @escaping () -> Void
  ) throws(UVError) {
    self.signal = signal
    self.place = place
    self.list = list
    core = loop.core
    self.body = body
    source = try SignalSource(signal, loop: loop.uv, owner: self, caught: signalWasCaught)
  }

  /// Whether the watcher has been neither cancelled nor ended by the loop.
  ///
  /// Call on the loop.
  public var isActive: Bool {
    core.checkThread("SignalWatcher.isActive")
    return isAttached
  }

  /// Whether the loop's run waits for the signal. Defaults to true.
  ///
  /// Call on the loop.
  public var keepsLoopAlive: Bool {
    get {
      core.checkThread("SignalWatcher.keepsLoopAlive")
      return isWaitedFor
    }
    set {
      core.checkThread("SignalWatcher.keepsLoopAlive")
      isWaitedFor = newValue
      source?.keepsLoopAlive(newValue)
    }
  }

  /// Ends the watcher and releases its callback.
  ///
  /// Call on the loop; calling it from the callback is fine. Cancelling again
  /// does nothing. A signal that has arrived but was not delivered is dropped.
  ///
  /// When the last watcher of a signal in the process ends, on any loop, the
  /// signal gets back the disposition that it had before the first one: usually
  /// `SIG_DFL`, so the next `SIGTERM` ends the process. This happens before
  /// `cancel()` returns, and for watchers that `close()` of the loop ends,
  /// before that returns. libuv sets `SIG_DFL` first, so an earlier `SIG_IGN`
  /// does not apply for a moment. A disposition that other code has set
  /// meanwhile stays, and so does libuv's while its own handles catch the
  /// signal.
  ///
  /// - Complexity: O(n) in the loop's signal watchers.
  public func cancel() {
    core.checkThread("SignalWatcher.cancel")
    // In a child process, the parent's handle stays.
    guard isAttached, !core.isForked else { return }
    end()
  }
}

extension SignalWatcher {
  var isAttached: Bool { source != nil }

  /// The address of libuv's handle.
  var address: UnsafeMutableRawPointer? { source?.address }

  /// Ends the watcher. Does not check the thread, because a loop may be
  /// released on any.
  func end() {
    // Released last, because a `deinit` of the captures may use this watcher.
    withExtendedLifetime((self, body)) {
      body = nil
      source?.close()
      source = nil
      list.remove(self)
    }
  }

  /// Leaves the handle to the parent in a child process.
  func leaveInChild() {
    source?.keepsLoopAlive(false)
    source?.detachOwner()
  }

  fileprivate func caught() {
    guard let loop = list.loop, !loop.core.isForked else { return }
    // Retained, because the callback may close and release an adopted loop.
    withExtendedLifetime(loop) {
      loop.recorded(OwnerWord(.event, place)) { loop.calledBack { body?() } }
    }
  }
}

private func signalWasCaught(_ handle: SignalHandle?, _ signal: Int32) {
  owner(of: handle, as: SignalWatcher.self)?.caught()
}

/// The signal watchers of a loop. Loop thread only.
final class SignalList: LoopPart {
  private(set) unowned(unsafe) var loop: EventLoop?
  private var watchers: [SignalWatcher] = []

  func attach(to loop: EventLoop) { self.loop = loop }

  /// Adds and retains `watcher`.
  func add(_ watcher: SignalWatcher) { watchers.append(watcher) }

  /// Removes `watcher`, which has ended.
  func remove(_ watcher: SignalWatcher) { watchers.removeAll { $0 === watcher } }

  var holdsAnything: Bool { !watchers.isEmpty }

  var handles: [UnsafeMutableRawPointer] { watchers.compactMap(\.address) }

  // One by one, because releasing a callback may cancel or add watchers.
  func drop() { for _ in 0..<watchers.count { watchers.last?.end() } }

  func loopDidClose() { loop = nil }

  func loopWasReleased() {
    loop = nil
    drop()
  }

  func leaveInChild() {
    for watcher in watchers { watcher.leaveInChild() }
    loop = nil
  }

  func stopInChild(of uv: UVLoop) { for watcher in watchers { watcher.leaveInChild() } }
}
