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
  private var body: ((Status) -> Void)?  // loop only
  private var source = Source.none  // loop only

  private enum Source {
    /// A watcher of a pidfd, which belongs to this object.
    case descriptor(DescriptorWatcher)
    /// Other systems, and Linux before 5.3.
    case signal(SignalWatcher)
    case none
  }

  init(_ child: ChildProcess, core: PortCore, _ body: @escaping (Status) -> Void) {
    process = child.identifier
    self.child = child
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
  /// - Parameter usesSignal: Whether to wait by `SIGCHLD` even so. For tests.
  func start(
    on loop: EventLoop,
    usesSignal: Bool,
    _ fileID: StaticString,
    _ line: UInt
  ) throws(UVError) {
    let holder = ChildHolder(self)
    if !usesSignal, let descriptor = try openDescriptor() {
      do {
        source = .descriptor(
          try loop.watch(descriptor, for: .readable, fileID: fileID, line: line) { _ in
            holder.watcher.check()
          }
        )
        holder.descriptor = descriptor
        return
      } catch {
        ChildProcess.closeDescriptor(descriptor)
        guard DeadlineSource.isRefusal(error) else { throw error }
      }
    }
    source = .signal(
      try loop.onSignal(ChildProcess.signal, fileID: fileID, line: line) { holder.watcher.check() }
    )
    // The child may have ended before the signal was watched.
    loop.checkChildLater(self)
  }

  /// Returns nil if the system has no pidfds, or does not permit them.
  private func openDescriptor() throws(UVError) -> Int32? {
    do { return try child.openDescriptor() } catch {
      guard DeadlineSource.isRefusal(error) else { throw error }
      return nil
    }
  }

  /// Notifies the callback if the child has ended.
  fileprivate func check() {
    guard body != nil, let ending = child.reap() else { return }
    let status: Status =
      switch ending {
      case .exited(let value): .exited(value)
      case .signalled(let value): .signalled(value)
      case .unknown: .unknown
      }
    end()?(status)
  }

  private func end() -> ((Status) -> Void)? {
    let (old, source) = (body, source)
    (body, self.source) = (nil, .none)
    switch source {
    case .descriptor(let watcher): watcher.cancel()
    case .signal(let watcher): watcher.cancel()
    case .none: break
    }
    return old
  }
}

/// Retained by the source's callback, and released with it. Keeps the watcher,
/// and closes its pidfd.
private final class ChildHolder {
  let watcher: ChildWatcher
  var descriptor: Int32?

  init(_ watcher: ChildWatcher) { self.watcher = watcher }

  deinit {
    watcher.sourceEnded()
    if let descriptor { ChildProcess.closeDescriptor(descriptor) }
  }
}

extension ChildWatcher {
  /// Called when the source has ended, also because the loop was closed.
  fileprivate func sourceEnded() { (body, source) = (nil, .none) }
}

extension EventLoop {
  /// Calls `body` with the status of the child `process` when it has ended, and
  /// reaps the child.
  ///
  /// Call on the loop. On Linux 5.3 and newer the watcher holds a pidfd, so
  /// the exit of another child costs nothing. Elsewhere, and where the system
  /// does not permit a pidfd or cannot poll it, each `SIGCHLD` makes the loop
  /// ask for each watched child. The loop's run waits for the child.
  ///
  /// The process must not wait for the same child by other means, and must not
  /// ignore `SIGCHLD`; the status is `unknown` then. Watch a child once: of two
  /// watchers, one gets the status and the other `unknown`.
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
  /// - Complexity: O(1). Up to ten system calls.
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
    let watcher = ChildWatcher(try ChildProcess(process), core: core, body)
    try watcher.start(on: self, usesSignal: usesSignal, fileID, line)
    return watcher
  }

  /// Checks once, in a later tick, whether the child of `watcher` has ended.
  fileprivate func checkChildLater(_ watcher: ChildWatcher) {
    addTimer(after: .zero) { _ in watcher.check() }
  }
}
