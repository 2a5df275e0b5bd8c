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
  private var source = Source.none  // loop only
  // How often the watcher has begun to wait. Loop only.
  private var attempt = 0

  private enum Source {
    /// A watcher of the child's pidfd.
    case descriptor(DescriptorWatcher)
    /// A watcher of `SIGCHLD`, if there is no pidfd that can be polled.
    case signal(SignalWatcher)
    case none
  }

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
  /// Starts to wait, by a pidfd if the system has one.
  ///
  /// - Parameter old: The handle by which the watcher waited before.
  fileprivate func start(on loop: EventLoop, replacing old: ChildHandle? = nil) throws(UVError) {
    let handle = usesSignal ? nil : try child.openHandle(like: old)
    let holder = ChildHolder(self, handle, attempt)
    if let handle, let watcher = try watch(handle, on: loop, holder) {
      source = .descriptor(watcher)
      return
    }
    source = .signal(
      try loop.onSignal(ChildProcess.signal, fileID: place.fileID, line: place.line) {
        holder.watcher.check(holder)
      }
    )
    // The child may have ended before the signal was watched.
    loop.addTimer(after: .zero) { _ in holder.watcher.check(holder) }
  }

  /// Returns nil if the system does not permit to poll the pidfd.
  private func watch(
    _ handle: ChildHandle,
    on loop: EventLoop,
    _ holder: ChildHolder
  ) throws(UVError) -> DescriptorWatcher? {
    do {
      return try loop.watch(
        handle.descriptor,
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

  /// Waits by another pidfd, because other code has closed or reused the polled
  /// descriptor.
  private func startAgain(after holder: ChildHolder) {
    guard let loop = core.loopOnThread else { return }
    let body = body
    stop()
    // Before a new pidfd is opened, which may need the descriptors. The kernel
    // now stops polling the old one under a number that is not ours any more.
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
    let old = source
    source = .none
    attempt += 1
    switch old {
    case .descriptor(let watcher): watcher.cancel()
    case .signal(let watcher): watcher.cancel()
    case .none: break
    }
  }

  /// Called when a source has ended, also because the loop was closed.
  fileprivate func sourceEnded(_ endedAttempt: Int) {
    if endedAttempt == attempt { (body, source) = (nil, .none) }
  }
}

/// Retained by the source's callback, and released with it. Keeps the watcher
/// and its pidfd.
private final class ChildHolder {
  let watcher: ChildWatcher
  let handle: ChildHandle?
  /// The value of the watcher's counter when it began to wait by this source.
  let attempt: Int

  init(_ watcher: ChildWatcher, _ handle: ChildHandle?, _ attempt: Int) {
    (self.watcher, self.handle, self.attempt) = (watcher, handle, attempt)
  }

  deinit { watcher.sourceEnded(attempt) }
}

extension EventLoop {
  /// Calls `body` with the status of the child `process` when it has ended, and
  /// reaps the child.
  ///
  /// Call on the loop. On Linux 5.4 and newer the watcher holds a pidfd, so
  /// the exit of another child costs nothing. Elsewhere, and where the system
  /// does not permit a pidfd or cannot poll it, each `SIGCHLD` makes the loop
  /// ask for each watched child. The loop's run waits for the child.
  ///
  /// The process must not wait for the same child by other means, and must not
  /// ignore `SIGCHLD`; the status is `unknown` then. Watch a child once: of two
  /// watchers, one gets the status and the other `unknown`. If other code has
  /// waited for the child and another child has its number by then, a watcher
  /// with a pidfd reports `unknown`, and a watcher without one reports the
  /// other child.
  ///
  /// The pidfd has two descriptors. If other code closes or reuses one of them
  /// by mistake, the status is still delivered. If other code closes both while
  /// the loop polls them, the kernel does not report the child's end.
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
  /// - Complexity: O(1). Up to thirteen system calls.
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
