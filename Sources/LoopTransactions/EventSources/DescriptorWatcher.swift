/// Calls a closure on the loop when a descriptor is ready.
///
/// Created by `EventLoop.watch`. The loop keeps a watcher until it is
/// cancelled. A watcher belongs to the loop's thread.
///
/// Readiness is level-triggered: while data is unread, a watcher for `readable`
/// is called in every tick. The end is reported once. When the descriptor is
/// hung up and no data is left to read, or when it has an error, the watcher is
/// called a last time, with `hangUp` or `error` and the requested events. It is
/// then no longer polled, so a watcher that ignores the end does not make the
/// loop spin. The watcher resumes if the callback clears the error by a read or
/// a write, or reads data that arrived before the error, and when the descriptor
/// has a new error or new data. So each error and each datagram is reported,
/// also those that the callback itself causes. Assigning different `events`
/// resumes the watcher, too. Until it resumes, the loop's run waits for it only
/// if the descriptor is a socket with an error that is not hung up, such as a
/// datagram socket. Read a datagram socket until it has no more data, because
/// each read may return another queued error.
///
/// Cancel every watcher of a descriptor before you close the descriptor. A
/// descriptor that was closed or reused first, also by another thread, does not
/// end the process. It is reported on standard error where the loop finds out:
/// when its interest changes, and when it is watched or cancelled. Its watchers
/// are then called with `error` and end. If a copy of the descriptor is still
/// open in this or another process, events of the copy may wake the loop until
/// the copy is closed.
///
/// ```swift
/// let watcher = try loop.watch(socket, for: .readable) { events in receive() }
/// watcher.events = [.readable, .writable]
/// watcher.cancel()
/// close(socket)
/// ```
///
/// Corresponds to `uv_poll_t` in libuv, `DispatchSourceRead` in Dispatch, and
/// `sd_event_add_io` in systemd.
public final class DescriptorWatcher {
  /// The watched descriptor.
  public let descriptor: Int32

  let core: PortCore
  private let place: SourcePlace
  private var body: ((DescriptorEvents) -> Void)?  // loop only
  private var source: WatchedDescriptor?  // loop only
  private var interest: DescriptorInterest  // loop only
  private(set) var isWaitedFor = true  // loop only

  /// The reason why the loop ended the watcher. Loop only.
  private(set) var failure: UVError?

  init(
    of source: WatchedDescriptor,
    for events: DescriptorEvents,
    place: SourcePlace,
    core: PortCore,
    _ body: @escaping (DescriptorEvents) -> Void
  ) {
    descriptor = source.descriptor
    self.core = core
    self.place = place
    self.source = source
    interest = DescriptorInterest(events)
    self.body = body
  }

  /// The requested events.
  ///
  /// Call on the loop. The loop applies the last assignment of a tick before it
  /// waits. If nothing has changed since the last wait, that costs no system
  /// call. Events that are no longer requested are not delivered, not even in
  /// the current tick. A watcher without events rests: the loop's run does not
  /// wait for it. Assigning `error` has no effect, because it is always
  /// reported.
  ///
  /// - Complexity: O(1), and O(n) in the watchers of the descriptor before the
  ///   loop waits.
  public var events: DescriptorEvents {
    get {
      core.checkThread("DescriptorWatcher.events")
      return interest.wanted
    }
    set {
      core.checkThread("DescriptorWatcher.events")
      if interest.want(newValue) { source?.changed() }
    }
  }

  /// Whether the watcher has been neither cancelled nor ended by the loop.
  ///
  /// Call on the loop.
  public var isActive: Bool {
    core.checkThread("DescriptorWatcher.isActive")
    return isAttached
  }

  /// Whether the loop's run waits for the watcher. Defaults to true.
  ///
  /// Call on the loop.
  public var keepsLoopAlive: Bool {
    get {
      core.checkThread("DescriptorWatcher.keepsLoopAlive")
      return isWaitedFor
    }
    set {
      core.checkThread("DescriptorWatcher.keepsLoopAlive")
      isWaitedFor = newValue
      source?.changed()
    }
  }

  /// Ends the watcher and releases its callback. It is not called again, not
  /// even for an event that the current tick has already received.
  ///
  /// Call on the loop; calling it from the callback is fine. Cancelling again
  /// does nothing. After the last watcher of a descriptor is cancelled, the
  /// descriptor may be closed at once.
  ///
  /// - Complexity: O(n) in the watchers of the descriptor. Two system calls
  ///   for the last one.
  public func cancel() {
    core.checkThread("DescriptorWatcher.cancel")
    // Released last, because a `deinit` of the captures may use this watcher.
    withExtendedLifetime((self, detach())) {}
  }
}

extension DescriptorWatcher {
  var isAttached: Bool { source != nil }

  /// The events to poll for.
  var polled: DescriptorEvents { interest.polled }

  /// Whether the watcher was notified of the end of all its events.
  var hasEnded: Bool { interest.polled.isEmpty && !interest.wanted.isEmpty }

  /// Whether the watcher waits for data.
  var isReader: Bool { interest.wanted.contains(.readable) }

  /// Calls the callback if `report` concerns the watcher.
  func receive(_ report: DescriptorReport) {
    guard let body else { return }
    let events = interest.receive(report)
    if !events.isEmpty { recorded { body(events) } }
  }

  private func recorded(_ body: () -> Void) {
    guard _slowPath(core.needsSlowTick), let loop = core.loopOnThread else { return body() }
    loop.recorded(OwnerWord(.event, place), body)
  }

  /// Cancels the watcher, and returns its callback for the caller to release.
  func detach() -> ((DescriptorEvents) -> Void)? {
    // A child process shares the kernel's poll with its parent, which still
    // needs the watcher.
    guard let source, !core.isForked else { return nil }
    let body = end()
    source.remove(self)
    return body
  }

  /// Polls again for events that had ended.
  func resume() { interest.resume() }

  /// Ends the watcher because its descriptor cannot be polled.
  func fail(_ error: UVError) {
    failure = error
    if let body = end() { recorded { body(.error) } }
  }

  /// Detaches the watcher and returns its callback. The caller releases it
  /// outside of any access to the watcher.
  func end() -> ((DescriptorEvents) -> Void)? {
    source = nil
    defer { body = nil }
    return body
  }
}

extension EventLoop {
  /// Calls `body` when `descriptor` is ready for any of `events`.
  ///
  /// Call on the loop. The descriptor may be a socket, a pipe, a terminal, or
  /// any other that `epoll` accepts, such as a timerfd. Several watchers of one
  /// descriptor share one libuv handle and are called in the order they were
  /// added. The first events arrive in the poll of the current tick, or of the
  /// next one.
  ///
  /// The descriptor is set to non-blocking mode, except a terminal, a pipe, and
  /// a file that is also standard input, output or error. Other processes share
  /// these, so they keep their mode: read once in each call, or set
  /// `O_NONBLOCK` before to read until there is no more data.
  ///
  /// Open a FIFO for reading and writing (`O_RDWR | O_NONBLOCK`) if its writers
  /// come and go. One that is opened only for reading is hung up whenever it has
  /// no writer. One that is opened only for writing has an error when its last
  /// reader is gone. The watcher is not called when a new reader opens the FIFO:
  /// cancel the watcher, and open the FIFO again.
  ///
  /// Cancel the watcher before you close the descriptor. The loop's run waits
  /// for the watcher; `close()` of the loop ends it.
  ///
  /// - Parameters:
  ///   - descriptor: An open descriptor. It still belongs to the caller.
  ///   - events: The events to wait for. `DescriptorWatcher.events` changes
  ///     them.
  ///   - fileID: With `line`, the source location for reports.
  ///   - line: See `fileID`.
  ///   - body: Called on the loop with the events that have occurred. Released
  ///     when the watcher ends.
  /// - Returns: The watcher. The loop keeps it, so the caller need not.
  /// - Throws: `UVError` `EBADF` if `descriptor` is not open, `EPERM` if it
  ///   cannot be polled (a regular file), `EEXIST` if another library polls it
  ///   on the same libuv loop.
  /// - Complexity: O(1). Up to fourteen system calls for the first watcher of a
  ///   descriptor, nine if the descriptor is in non-blocking mode.
  @discardableResult
  public func watch(
    _ descriptor: Int32,
    for events: DescriptorEvents,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping (DescriptorEvents) -> Void
  ) throws(UVError) -> DescriptorWatcher {
    checkMayAdd("EventLoop.watch")
    let entry = try part(DescriptorList.self).entry(for: descriptor, on: self)
    let place = SourcePlace(fileID, line)
    let watcher = DescriptorWatcher(of: entry, for: events, place: place, core: core, body)
    entry.add(watcher)
    return watcher
  }

  /// Traps unless event sources may be added to the loop here and now.
  func checkMayAdd(_ operation: StaticString) {
    checkUsable(operation)
    checkNotForked(operation)
    checkNotTornDown(operation)
  }
}

/// A task that waits for a descriptor.
package final class DescriptorWait: LoopWait, @unchecked Sendable {
  private let descriptor: Int32
  private let events: DescriptorEvents
  private var watcher: DescriptorWatcher?  // loop only

  package init(_ core: PortCore, _ descriptor: Int32, for events: DescriptorEvents) {
    self.descriptor = descriptor
    self.events = events
    super.init(core)
  }

  override func watch(on loop: EventLoop, _ watch: Watch) throws(UVError) {
    watcher = try loop.watch(descriptor, for: events) { [self] _ in
      withExtendedLifetime(watch) {
        let failure = watcher?.failure
        stopWatcher(failure.map { .failure($0) } ?? .success(()))
      }
    }
  }

  // Until the loop has stopped polling, the task must not resume, because it may
  // close the descriptor.
  override func stop() { stopWatcher(.failure(CancellationError())) }

  /// Stops polling, and then resumes the task.
  private func stopWatcher(_ result: Result<Void, any Error>) {
    let watcher = watcher
    self.watcher = nil
    // The release of the callback would end the wait with another result.
    withExtendedLifetime(watcher?.detach()) { end(result) }
  }
}

extension LoopPort {
  /// Waits until `descriptor` is readable, hung up, or has an error.
  ///
  /// Call from any task, also from an actor pinned to the loop. On the port and
  /// not on `EventLoop`, because a loop cannot be passed to a task. The loop
  /// sets the descriptor to non-blocking mode, with the exceptions of
  /// `EventLoop.watch`. When this returns or throws, the loop no longer polls
  /// the descriptor for this call, so the caller may close it. An error of the
  /// descriptor itself is left to the next read.
  ///
  /// - Throws: A `CancellationError` when the task is cancelled, once the loop
  ///   has stopped polling. `LoopPort.PostError` if the loop is closed.
  ///   `UVError` if the descriptor cannot be polled, as for `EventLoop.watch`,
  ///   or was closed meanwhile.
  /// - Complexity: A post and up to seventeen system calls. Use
  ///   `EventLoop.watch` to wait often.
  public func readable(_ descriptor: Int32) async throws {
    try await wait(for: .readable, of: descriptor)
  }

  /// Waits until `descriptor` is writable, hung up, or has an error.
  ///
  /// As `readable(_:)`. A socket that is connecting becomes writable when it is
  /// connected or failed.
  public func writable(_ descriptor: Int32) async throws {
    try await wait(for: .writable, of: descriptor)
  }

  private func wait(for events: DescriptorEvents, of descriptor: Int32) async throws {
    try Task.checkCancellation()
    try await DescriptorWait(core, descriptor, for: events).wait()
  }
}
