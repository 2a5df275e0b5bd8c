private import Foundation
public import LoopTransactions

/// Watches a copy of a descriptor that belongs to a library.
///
/// Some libraries close their descriptor in any call that fails, so that no watcher can be
/// cancelled first. The copy stays open until `cancel()`.
public final class CopyWatcher {
  // -1 after `cancel()`.
  private var copy: Int32
  private var watcher: DescriptorWatcher?

  /// Calls `body` when `descriptor` is ready for any of `events`.
  public init(
    _ descriptor: Int32,
    for events: DescriptorEvents,
    on loop: EventLoop,
    _ body: @escaping () -> Void
  ) {
    copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    watcher = try? loop.watch(copy, for: events) { _ in body() }
  }

  /// The requested events.
  public var events: DescriptorEvents {
    get { watcher?.events ?? [] }
    set { watcher?.events = newValue }
  }

  /// Ends the watcher and closes the copy.
  public func cancel() {
    watcher?.cancel()
    watcher = nil
    if copy >= 0 { close(copy) }
    copy = -1
  }
}
