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
  private var body: (() -> Void)?  // loop only
  private var entry: WatchedSignal?  // loop only
  private var isWaitedFor = true  // loop only
  // Its position in `entry`. Loop only.
  fileprivate var index = 0
  // The number of the first signal that was caught after the watcher was
  // created. Loop only.
  private let first: UInt32

  init(_ entry: WatchedSignal, core: PortCore, place: SourcePlace, _ body: @escaping () -> Void) {
    signal = entry.signal
    self.place = place
    self.core = core
    self.body = body
    self.entry = entry
    first = entry.caughtCount
    entry.add(self)
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
      guard newValue != isWaitedFor else { return }
      isWaitedFor = newValue
      entry?.isWaitedFor(by: newValue ? 1 : -1)
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
  /// - Complexity: O(1).
  public func cancel() {
    core.checkThread("SignalWatcher.cancel")
    // In a child process, the parent's handle stays.
    guard isAttached, !core.isForked else { return }
    end()
  }
}

extension SignalWatcher {
  var isAttached: Bool { entry != nil }

  /// Ends the watcher. Does not check the thread, because a loop may be
  /// released on any.
  func end() {
    // Released last, because a `deinit` of the captures may use this watcher.
    withExtendedLifetime((self, body)) {
      body = nil
      if isWaitedFor { entry?.isWaitedFor(by: -1) }
      entry?.remove(self)
      entry = nil
    }
  }

  /// Calls the callback, unless the signal with this number was caught before
  /// the watcher was created.
  fileprivate func caught(_ number: UInt32, on loop: EventLoop) {
    // The numbers wrap around.
    guard isAttached, Int32(bitPattern: number &- first) >= 0 else { return }
    loop.recorded(OwnerWord(.event, place)) { loop.calledBack { body?() } }
  }
}

/// A signal that a loop watches: the libuv handle that its watchers share. Loop
/// thread only.
///
/// One handle, because libuv writes to a pipe for each handle when the signal
/// arrives, and drops the rest when the pipe is full.
final class WatchedSignal {
  let signal: Int32
  private let list: SignalList
  private var source: SignalSource?
  private var watchers: [SignalWatcher] = []
  // The number of watchers for which the loop's run waits.
  private var waited = 0

  init(_ signal: Int32, in list: SignalList, loop: EventLoop) throws(UVError) {
    self.signal = signal
    self.list = list
    source = try SignalSource(signal, loop: loop.uv, owner: self, caught: signalWasCaught)
  }

  /// The address of libuv's handle.
  var address: UnsafeMutableRawPointer? { source?.address }

  var count: Int { watchers.count }

  /// One of the watchers.
  var any: SignalWatcher? { watchers.last }

  fileprivate var caughtCount: UInt32 { source?.caughtCount ?? 0 }

  /// Adds and retains `watcher`, for which the loop's run waits.
  fileprivate func add(_ watcher: SignalWatcher) {
    watcher.index = watchers.count
    watchers.append(watcher)
    isWaitedFor(by: 1)
  }

  /// Changes the number of watchers for which the loop's run waits.
  fileprivate func isWaitedFor(by change: Int) {
    waited += change
    source?.keepsLoopAlive(waited > 0)
  }

  /// Removes `watcher`, which ends. The last watcher takes its position.
  fileprivate func remove(_ watcher: SignalWatcher) {
    watchers[watcher.index] = watchers[watchers.count - 1]
    watchers[watcher.index].index = watcher.index
    watchers.removeLast()
    guard watchers.isEmpty else { return }
    source?.close()
    source = nil
    list.remove(self)
  }

  fileprivate func caught() {
    guard let source, let loop = list.loop, !loop.core.isForked else { return }
    let number = source.deliveredNumber
    // Retained, because the callback may close and release an adopted loop.
    withExtendedLifetime(loop) {
      for watcher in watchers { watcher.caught(number, on: loop) }
    }
  }

  /// Leaves the handle to the parent in a child process, which has stopped it.
  func leaveInChild() {
    source?.keepsLoopAlive(false)
    source?.detachOwner()
  }
}

private func signalWasCaught(_ handle: SignalHandle?, _ signal: Int32) {
  owner(of: handle, as: WatchedSignal.self)?.caught()
}

/// The watched signals of a loop. Loop thread only.
final class SignalList: LoopPart {
  private(set) unowned(unsafe) var loop: EventLoop?
  private var signals: [Int32: WatchedSignal] = [:]

  func attach(to loop: EventLoop) { self.loop = loop }

  /// Returns the entry of `signal`, which watchers share. A new one must get a
  /// watcher.
  func entry(for signal: Int32, on loop: EventLoop) throws(UVError) -> WatchedSignal {
    if let known = signals[signal] { return known }
    let made = try WatchedSignal(signal, in: self, loop: loop)
    signals[signal] = made
    return made
  }

  /// Removes `signal`, which has no watcher.
  func remove(_ signal: WatchedSignal) { signals[signal.signal] = nil }

  var holdsAnything: Bool { !signals.isEmpty }

  var handles: [UnsafeMutableRawPointer] { signals.values.compactMap(\.address) }

  // One by one, because releasing a callback may cancel or add watchers.
  func drop() {
    for signal in Array(signals.values) {
      for _ in 0..<signal.count { signal.any?.end() }
    }
  }

  func loopDidClose() { loop = nil }

  func loopWasReleased() {
    loop = nil
    drop()
  }

  func leaveInChild() {
    for signal in signals.values { signal.leaveInChild() }
    loop = nil
  }

  func stopInChild(of uv: UVLoop) { for signal in signals.values { signal.leaveInChild() } }
}

extension EventLoop {
  /// Calls `body` when the process receives `signal`.
  ///
  /// Call on the loop. Any number of loops and watchers may catch the same
  /// signal; each watcher is called. While a signal is watched, its earlier
  /// disposition has no effect: the process does not end by `SIGTERM`.
  /// `SignalWatcher.cancel()` describes when that disposition returns. The
  /// system merges signals of equal number that arrive faster than they are
  /// handled. The loop's run waits for the watcher, unless its `keepsLoopAlive`
  /// is false.
  ///
  /// The system delivers a signal only if some thread does not block it. The
  /// threads of Dispatch and of Swift tasks block all signals.
  ///
  /// In a forked child, each watched signal has the disposition from before the
  /// first watcher: usually `SIG_DFL`, so `SIGTERM` ends a worker. The child
  /// may watch signals on loops of its own. Signals that a libuv handle of other
  /// code catches too are not changed.
  ///
  /// `SIGABRT` can be watched, but `abort()` still ends the process.
  ///
  /// ```swift
  /// let watcher = try loop.onSignal(SIGTERM) { loop.stop() }
  /// watcher.keepsLoopAlive = false
  /// ```
  ///
  /// - Parameters:
  ///   - signal: The number of the signal.
  ///   - fileID: With `line`, the source location for reports.
  ///   - line: See `fileID`.
  ///   - body: Called on the loop. Released when the watcher ends.
  /// - Returns: The watcher. The loop keeps it, so the caller need not.
  /// - Throws: `UVError` `EINVAL` if the number is not of a signal that can be
  ///   caught, or if the signal reports a fault of the running code, which
  ///   would happen again when the signal's handler returns: `SIGSEGV`,
  ///   `SIGBUS`, `SIGFPE`, `SIGILL` and `SIGTRAP`.
  /// - Complexity: O(1).
  @discardableResult
  public func onSignal(
    _ signal: Int32,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping () -> Void
  ) throws(UVError) -> SignalWatcher {
    checkMayAdd("EventLoop.onSignal")
    let entry = try part(SignalList.self).entry(for: signal, on: self)
    return SignalWatcher(entry, core: core, place: SourcePlace(fileID, line), body)
  }

  /// Returns the given signals, from now on, as an asynchronous sequence of
  /// their numbers.
  ///
  /// Call on the loop. Use the sequence in one `for await` loop, in any task.
  /// While the task is busy, the latest 16 signals are kept. The signals are
  /// watched until the loop over them ends, the task is cancelled, or the
  /// event loop is closed, which ends the sequence. They do not keep the event
  /// loop's run alive.
  ///
  /// ```swift
  /// for await signal in try loop.signals(SIGTERM, SIGINT) {
  ///   await shutDown(signal)
  /// }
  /// ```
  ///
  /// - Throws: As `onSignal`.
  public func signals(_ signals: Int32...) throws(UVError) -> AsyncStream<Int32> {
    checkMayAdd("EventLoop.signals")
    let (stream, channel) = AsyncStream.makeStream(
      of: Int32.self,
      bufferingPolicy: .bufferingNewest(16)
    )
    let end = SignalStreamEnd(core)
    let lifetime = SignalStreamLifetime(channel)
    do {
      for signal in signals {
        let watcher = try onSignal(signal) { lifetime.channel.yield(signal) }
        watcher.keepsLoopAlive = false
        end.watchers.append(watcher)
      }
    } catch {
      end.cancelOnLoop()
      throw error
    }
    channel.onTermination = { _ in end.cancel() }
    return stream
  }
}

/// Retained by the callbacks of a sequence's watchers. Its release ends the
/// sequence.
private final class SignalStreamLifetime {
  let channel: AsyncStream<Int32>.Continuation

  init(_ channel: AsyncStream<Int32>.Continuation) { self.channel = channel }

  deinit { channel.finish() }
}

/// Cancels the watchers of a sequence that ended on any thread.
private final class SignalStreamEnd: @unchecked Sendable {
  // @unchecked: `watchers` is accessed on the loop's thread only.
  var watchers: [SignalWatcher] = []
  private let core: PortCore

  init(_ core: PortCore) { self.core = core }

  func cancel() { core.call(cancelSignals, with: self) }

  func cancelOnLoop() {
    let cancelled = watchers
    watchers = []
    for watcher in cancelled { watcher.cancel() }
  }
}

private func cancelSignals(_ loop: UnsafeRawPointer, _ end: UnsafeRawPointer) {
  end.object(as: SignalStreamEnd.self).cancelOnLoop()
}
