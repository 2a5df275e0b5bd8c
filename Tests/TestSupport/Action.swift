package import LoopTransactions

/// A target that calls a closure when performed.
package final class Action {
  /// Calls the closure.
  package static let perform = Selector<Action>("perform") { $0.body() }

  private let body: () -> Void

  /// A target that calls `body`.
  package init(_ body: @escaping () -> Void) { self.body = body }
}

/// A target that other threads may commit.
package final class SharedAction: Sendable {
  /// Calls the closure.
  package static let perform = Selector<SharedAction>("perform") { $0.body() }

  private let body: @Sendable () -> Void

  /// A target that calls `body`.
  package init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}

extension EventLoop {
  /// Commits a target of its own that calls `body`.
  package func commit(_ body: @escaping () -> Void) { commit(Action(body), Action.perform) }
}

/// An object that says when it goes.
package final class Witness: Sendable {
  private let onDeinit: @Sendable () -> Void

  /// An object whose end calls `onDeinit`.
  package init(_ onDeinit: @escaping @Sendable () -> Void) { self.onDeinit = onDeinit }

  deinit { onDeinit() }

  /// Does nothing, but keeps the object until here.
  package func touch() {}
}
