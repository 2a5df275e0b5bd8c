import LoopTransactions

/// The listeners of the process that wait for a free descriptor.
///
/// Call from any thread.
final class DescriptorWaiters: Sendable {
  // @unchecked Sendable: only the posted item uses the listener, on its loop.
  private struct Entry: @unchecked Sendable {
    let listener: Listener
    let core: PortCore
  }

  static let shared = ProcessWide { DescriptorWaiters() }

  private let waiting: Locked<[ObjectIdentifier: Entry]> = Locked([:])

  /// Makes the next `didFree()` call `listener.retry()` once, on its loop.
  func add(_ listener: Listener) {
    let entry = Entry(listener: listener, core: listener.io.core)
    waiting.withLock { $0[ObjectIdentifier(listener)] = entry }
  }

  func remove(_ listener: Listener) {
    // Releases the entry outside the lock.
    _ = waiting.withLock { $0.removeValue(forKey: ObjectIdentifier(listener)) }
  }

  /// Resumes every waiting listener. Call after a descriptor was closed.
  ///
  /// All are resumed because any of them may have a waiting connection. Those
  /// that get no descriptor wait again.
  func didFree() {
    let resumed = waiting.withLock { waiting in
      if waiting.isEmpty { return [Entry]() }
      defer { waiting = [:] }
      return Array(waiting.values)
    }
    for entry in resumed {
      var item = PostedItem(resumeListener, entry.listener)
      // Refused only by a closed loop, which has closed the listener.
      if !entry.core.append(item) { item.drop() }
    }
  }
}

private func resumeListener(_: UnsafeRawPointer, _ listener: UnsafeRawPointer) {
  Unmanaged<Listener>.fromOpaque(listener).takeUnretainedValue().retry()
}
