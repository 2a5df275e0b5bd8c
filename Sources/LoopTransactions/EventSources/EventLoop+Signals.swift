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

  func cancel() {
    var item = PostedItem(cancelSignals, self)
    if !core.append(item) { item.drop() }
  }

  func cancelOnLoop() {
    let cancelled = watchers
    watchers = []
    for watcher in cancelled { watcher.cancel() }
  }
}

private func cancelSignals(_ loop: UnsafeRawPointer, _ end: UnsafeRawPointer) {
  Unmanaged<SignalStreamEnd>.fromOpaque(end).takeUnretainedValue().cancelOnLoop()
}
