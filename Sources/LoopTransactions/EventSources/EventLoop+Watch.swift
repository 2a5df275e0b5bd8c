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
  /// no writer.
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
