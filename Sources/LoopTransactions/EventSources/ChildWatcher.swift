/// Calls a closure on the loop when a child process ends.
///
/// Created by `EventLoop.onExit`. The loop keeps a watcher until the child has
/// ended or the watcher is cancelled. A watcher belongs to the loop's thread.
///
/// Corresponds to `uv_process_t` in libuv, without starting the process, and to
/// `DispatchSourceProcess` in Dispatch.
public final class ChildWatcher {
  /// How a child process ended.
  public enum Status: Hashable, Sendable {
    /// The child exited with this status.
    case exited(Int32)
    /// A signal with this number ended the child.
    case signalled(Int32)
    /// The status is lost, because other code of the process waited for the
    /// child, or the process ignores `SIGCHLD`.
    case unknown
  }

  /// The process identifier of the child.
  public let process: Int32

  let core: PortCore
  private let child: ChildProcess
  private let place: (fileID: StaticString, line: UInt)
  private let usesSignal: Bool
  private var body: ((Status) -> Void)?  // loop only
  // Polls the child's pidfd. Nil if there is none that can be polled. Loop only.
  private var pidfd: DescriptorWatcher?
  // Watches `SIGCHLD`. Nil if there is a pidfd, and the signal belongs to other
  // code. Loop only.
  private var signal: SignalWatcher?
  // How often the watcher has begun to wait. Loop only.
  private var attempt = 0

  /// - Parameter usesSignal: Whether to wait by `SIGCHLD`, without a pidfd. For
  ///   tests.
  init(
    _ child: ChildProcess,
    usesSignal: Bool,
    place: (StaticString, UInt),
    core: PortCore,
    _ body: @escaping (Status) -> Void
  ) {
    process = child.identifier
    self.child = child
    self.usesSignal = usesSignal
    self.place = place
    self.core = core
    self.body = body
  }

  /// Whether the watcher still waits for the child.
  ///
  /// Call on the loop.
  public var isActive: Bool {
    core.checkThread("ChildWatcher.isActive")
    return body != nil
  }

  /// Ends the watcher and releases its callback. The child keeps running, and
  /// is not reaped when it ends.
  ///
  /// Call on the loop. Cancelling again does nothing.
  ///
  /// - Complexity: As `DescriptorWatcher.cancel()`.
  public func cancel() {
    core.checkThread("ChildWatcher.cancel")
    guard !core.isForked else { return }
    _ = end()
  }
}

extension ChildWatcher {
  /// Starts to wait, by a pidfd if the system has one, and by `SIGCHLD`.
  ///
  /// - Parameter old: The handle by which the watcher waited before.
  fileprivate func start(
    on loop: EventLoop,
    replacing old: OwnedDescriptor? = nil
  ) throws(UVError) {
    let handle = usesSignal ? nil : try child.openHandle(like: old)
    let holder = ChildHolder(of: self, handle: handle, attempt: attempt)
    if let handle { pidfd = try watch(handle, on: loop, holder) }
    do throws(UVError) { signal = try watchSignal(on: loop, holder) } catch {
      // With a pidfd, the signal is only a second source.
      if pidfd == nil { throw error }
    }
    // The child may have ended before the signal was watched.
    if pidfd == nil { loop.addTimer(after: .zero) { _ in holder.watcher.check(holder) } }
  }

  /// The kernel does not report a pidfd that other code has closed. So the signal
  /// makes the watcher check the pidfd too.
  ///
  /// Returns nil if there is a pidfd, and other code handles or ignores the
  /// signal.
  private func watchSignal(
    on loop: EventLoop,
    _ holder: ChildHolder
  ) throws(UVError) -> SignalWatcher? {
    guard pidfd == nil || SignalSource.isFree(ChildProcess.signal) else { return nil }
    let watcher = try loop.onSignal(
      ChildProcess.signal,
      fileID: place.fileID,
      line: place.line
    ) { holder.watcher.check(holder) }
    watcher.keepsLoopAlive = pidfd == nil
    return watcher
  }

  /// Returns nil if the system does not permit to poll the pidfd.
  private func watch(
    _ handle: OwnedDescriptor,
    on loop: EventLoop,
    _ holder: ChildHolder
  ) throws(UVError) -> DescriptorWatcher? {
    do {
      return try loop.watch(
        handle.number,
        for: .readable,
        fileID: place.fileID,
        line: place.line
      ) { events in
        holder.watcher.check(holder, isLast: events.contains(.error))
      }
    } catch {
      guard DeadlineSource.isRefusal(error) else { throw error }
      return nil
    }
  }

  /// Notifies the callback if the child has ended.
  ///
  /// - Parameter isLast: Whether the loop has ended the watch of the pidfd.
  fileprivate func check(_ holder: ChildHolder, isLast: Bool = false) {
    guard body != nil, holder.attempt == attempt else { return }
    switch child.reap(by: holder.handle) {
    case .running: if isLast { startAgain(after: holder) }
    case .lost: startAgain(after: holder)
    case .exited(let value): end()?(.exited(value))
    case .signalled(let value): end()?(.signalled(value))
    case .unknown: end()?(.unknown)
    }
  }

  /// Waits by another pidfd, because other code has closed or reused the
  /// descriptor. The new one is of the same child: the child's number is not used
  /// again before the child is reaped, and the identities are compared.
  private func startAgain(after holder: ChildHolder) {
    guard let loop = core.loopOnThread else { return }
    let body = body
    stop()
    // Before a new pidfd is opened, which may need the descriptor.
    holder.handle?.close()
    do { try start(on: loop, replacing: holder.handle) } catch {
      if !ChildProcess.isGone(error) {
        System.logToStandardError("\(error); the status of child \(process) is lost")
      }
      self.body = nil
      body?(.unknown)
    }
  }

  private func end() -> ((Status) -> Void)? {
    let old = body
    body = nil
    stop()
    return old
  }

  private func stop() {
    let (oldPidfd, oldSignal) = (pidfd, signal)
    (pidfd, signal) = (nil, nil)
    attempt += 1
    oldPidfd?.cancel()
    oldSignal?.cancel()
  }

  /// Called when both sources have ended, also because the loop was closed.
  fileprivate func sourcesEnded(_ endedAttempt: Int) {
    if endedAttempt == attempt { (body, pidfd, signal) = (nil, nil, nil) }
  }
}

/// Retained by the callbacks of the sources, and released with them. Keeps the
/// watcher and its pidfd.
private final class ChildHolder {
  let watcher: ChildWatcher
  let handle: OwnedDescriptor?
  /// The value of the watcher's counter when it began to wait by these sources.
  let attempt: Int

  init(of watcher: ChildWatcher, handle: OwnedDescriptor?, attempt: Int) {
    (self.watcher, self.handle, self.attempt) = (watcher, handle, attempt)
  }

  deinit { watcher.sourcesEnded(attempt) }
}

extension EventLoop {
  /// Calls `body` with the status of the child `process` when it has ended, and
  /// reaps the child.
  ///
  /// Call on the loop. On Linux 5.4 and newer the watcher holds a pidfd. Elsewhere,
  /// and where the system does not permit a pidfd or cannot poll it, the watcher
  /// waits by `SIGCHLD` alone. The loop's run waits for the child.
  ///
  /// The process must not wait for the same child by other means, and must not
  /// ignore `SIGCHLD`; the status is `unknown` then. Watch a child once: of two
  /// watchers, one gets the status and the other `unknown`. If other code has
  /// waited for the child and another child has its number by then, a watcher
  /// with a pidfd reports `unknown`, and a watcher without one reports the
  /// other child.
  ///
  /// A watcher with a pidfd catches `SIGCHLD` too, unless other code handles or
  /// ignores it or has set `SA_NOCLDWAIT`. Each `SIGCHLD` makes the loop check
  /// each watched child, by two system calls. If other code has closed or reused
  /// the pidfd by mistake, the watcher then opens another one, and the status is
  /// still delivered. As with every signal that is caught, calls such as `usleep`
  /// and `poll` may return early on the thread that receives it.
  ///
  /// - Parameters:
  ///   - process: The process identifier of a child of this process.
  ///   - fileID: With `line`, the source location for reports.
  ///   - line: See `fileID`.
  ///   - body: Called on the loop, once, never inside this call. Released
  ///     afterwards.
  /// - Returns: The watcher. The loop keeps it, so the caller need not.
  /// - Throws: `UVError` `ESRCH` if `process` is not a child of this process
  ///   or was already waited for, `EINVAL` if it is not positive, and `EMFILE`
  ///   if the system is out of descriptors.
  /// - Complexity: O(1).
  @discardableResult
  public func onExit(
    of process: Int32,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping (ChildWatcher.Status) -> Void
  ) throws(UVError) -> ChildWatcher {
    try onExit(of: process, usesSignal: false, fileID: fileID, line: line, body)
  }

  /// As above. For tests, `usesSignal` waits by `SIGCHLD`.
  package func onExit(
    of process: Int32,
    usesSignal: Bool,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping (ChildWatcher.Status) -> Void
  ) throws(UVError) -> ChildWatcher {
    checkMayAdd("EventLoop.onExit")
    let watcher = ChildWatcher(
      try ChildProcess(process),
      usesSignal: usesSignal,
      place: (fileID, line),
      core: core,
      body
    )
    try watcher.start(on: self)
    return watcher
  }
}
