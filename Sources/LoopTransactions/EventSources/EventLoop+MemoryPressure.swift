extension EventLoop {
  /// A shortage of memory, by its effect on the runnable tasks.
  public enum MemoryStall: String, Hashable, Sendable {
    /// At least one task waits. The others still make progress.
    case some
    /// All tasks wait, so no useful work is done.
    case full
  }

  /// Calls `body` when tasks had to wait for memory, because the system is
  /// short of it.
  ///
  /// Call on the loop. Use it to release memory that can be made again, for
  /// example by `RunLoopQueue.flush()`. While the shortage lasts, `body` is
  /// called about once per `window`.
  ///
  /// The kernel measures the process's control group if the process may watch
  /// it, and the whole machine otherwise. The kernel requires a window of 0.5 to
  /// 10 seconds, and of a process without privileges a multiple of 2 seconds
  /// and Linux 6.5 or newer.
  ///
  /// The watcher does not keep the loop's run alive, and owns its descriptor.
  /// Cancel it to end the calls.
  ///
  /// ```swift
  /// _ = try? loop.onMemoryPressure { cache.removeAll() }
  /// ```
  ///
  /// Modelled on `sd_event_add_memory_pressure` in systemd, with the same
  /// defaults. Corresponds to `DispatchSourceMemoryPressure` in Dispatch.
  ///
  /// - Parameters:
  ///   - stall: Whether some or all runnable tasks must wait.
  ///   - share: The total waiting time in a window that calls `body`.
  ///   - window: The period in which the kernel adds up the waiting time.
  ///   - fileID: With `line`, the source location for reports.
  ///   - line: See `fileID`.
  ///   - body: Called on the loop. Released when the watcher ends.
  /// - Returns: The watcher. The loop keeps it, so the caller need not.
  /// - Throws: `UVError` with the name of the kernel's file: `ENOENT` or
  ///   `ENOTSUP` if the kernel does not measure memory pressure, `EACCES` or
  ///   `EPERM` if the process may not watch it, `EINVAL` if the kernel does not
  ///   accept `window`.
  /// - Precondition: `share` is positive and not longer than `window`.
  @discardableResult
  public func onMemoryPressure(
    _ stall: MemoryStall = .some,
    lasting share: Duration = .milliseconds(200),
    within window: Duration = .seconds(2),
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping () -> Void
  ) throws(UVError) -> DescriptorWatcher {
    checkMayAdd("EventLoop.onMemoryPressure")
    let files = [ControlGroup.memoryPressureFile(), "/proc/pressure/memory"].compactMap(\.self)
    let descriptor = try Self.openMemoryPressure(stall, lasting: share, within: window, of: files)
    return try onMemoryPressure(descriptor: descriptor, fileID: fileID, line: line, body)
  }

  /// Opens the first of `files` that the system permits.
  package static func openMemoryPressure(
    _ stall: MemoryStall,
    lasting share: Duration,
    within window: Duration,
    of files: [String]
  ) throws(UVError) -> Int32 {
    require(
      share > .zero && share <= window,
      """
      EventLoop.onMemoryPressure: lasting must be positive and at most within, \
      got \(share) within \(window)
      """
    )
    // In microseconds.
    let times = [share, window].map { "\($0.clampedNanoseconds / 1000)" }
    let trigger = "\(stall.rawValue) \(times[0]) \(times[1])"
    for file in files.dropLast() {
      // An error of the last file is thrown instead.
      if let descriptor = try? PressureFile.open(file, trigger: trigger) { return descriptor }
    }
    return try PressureFile.open(files.last ?? "", trigger: trigger)
  }

  /// As above, for a descriptor that has `POLLPRI` under memory pressure. Takes
  /// ownership of the descriptor, and closes it if this throws.
  @discardableResult
  package func onMemoryPressure(
    descriptor: Int32,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping () -> Void
  ) throws(UVError) -> DescriptorWatcher {
    let source = PressureSource(try OwnedDescriptor(descriptor))
    let watcher = try watch(descriptor, for: .priority, fileID: fileID, line: line) { events in
      source.notify(events, body)
    }
    watcher.keepsLoopAlive = false
    source.watcher = watcher
    return watcher
  }
}

/// Retained by the watcher's callback. The descriptor is closed when both are
/// released.
private final class PressureSource {
  private let descriptor: OwnedDescriptor
  weak var watcher: DescriptorWatcher?

  init(_ descriptor: OwnedDescriptor) { self.descriptor = descriptor }

  func notify(_ events: DescriptorEvents, _ body: () -> Void) {
    // The kernel reports an error in each poll once the control group is gone.
    guard !DescriptorCondition(of: descriptor.number).hasError else {
      System.logToStandardError(
        "EventLoop.onMemoryPressure: the control group was removed; call this again"
      )
      watcher?.cancel()
      return
    }
    if events.contains(.priority) { body() }
  }
}
