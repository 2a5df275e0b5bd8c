package import LoopTransactions

/// A target that calls a closure when performed.
package final class Action {
  /// Calls the closure.
  package static let perform = Selector<Action>("perform") { $0.body() }

  private let body: () -> Void

  /// Creates a target that calls `body`.
  package init(_ body: @escaping () -> Void) { self.body = body }
}

/// A target that may be committed from any thread.
package final class SharedAction: Sendable {
  /// Calls the closure.
  package static let perform = Selector<SharedAction>("perform") { $0.body() }

  private let body: @Sendable () -> Void

  /// Creates a target that calls `body`.
  package init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}

extension EventLoop {
  /// Commits a new target that calls `body`.
  package func commit(_ body: @escaping () -> Void) { commit(Action(body), Action.perform) }
}

/// An object that reports its release.
package final class Witness: Sendable {
  private let onDeinit: @Sendable () -> Void

  /// Creates an object that calls `onDeinit` when it is released.
  package init(_ onDeinit: @escaping @Sendable () -> Void) { self.onDeinit = onDeinit }

  deinit { onDeinit() }

  /// Does nothing, but keeps the object alive until this call.
  package func touch() {}
}
