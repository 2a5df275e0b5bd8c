import LoopTransactions

/// The listeners of the process that wait for a free descriptor.
///
/// Call from any thread.
enum DescriptorWaiters {
  // @unchecked Sendable: only the posted item uses the listener, on its loop.
  private struct Entry: @unchecked Sendable {
    let listener: Listener
  }

  private static let waiting = ProcessWide { Locked<[ObjectIdentifier: Entry]>([:]) }

  /// Makes the next `didFree()` call `listener.retry()` once, on its loop.
  static func add(_ listener: Listener) {
    let entry = Entry(listener: listener)
    waiting.value.withLock { $0[ObjectIdentifier(listener)] = entry }
  }

  static func remove(_ listener: Listener) {
    // Releases the entry outside the lock.
    _ = waiting.value.withLock { $0.removeValue(forKey: ObjectIdentifier(listener)) }
  }

  /// Resumes every waiting listener. Call after a descriptor was closed.
  ///
  /// All are resumed because any of them may have a waiting connection. Those
  /// that get no descriptor wait again.
  static func didFree() {
    let resumed = waiting.value.withLock { waiting in
      defer { waiting = [:] }
      return waiting.values
    }
    for entry in resumed {
      // Refused only by a closed loop, which has closed the listener.
      entry.listener.io.core.call(resumeListener, with: entry.listener)
    }
  }
}

private func resumeListener(_: UnsafeRawPointer, _ listener: UnsafeRawPointer) {
  Unmanaged<Listener>.fromOpaque(listener).takeUnretainedValue().retry()
}
