import Synchronization

/// One operation of an async transaction: what tells its outcome, whatever runs it.
///
/// Derived classes know where it runs, and what it makes.
class OperationItem: OperationOwner, @unchecked Sendable {
  // @unchecked: here, constants, an atomic, and what is the loop's; derived classes
  // say what guards theirs.

  let name: String
  let core: AsyncTransactionCore
  /// What was added after it. Loop only.
  @exclusivity(unchecked) final var next: OperationItem?
  private let cancelled = Atomic<Bool>(false)

  init(_ name: String, _ core: AsyncTransactionCore) {
    self.name = name
    self.core = core
  }

  /// Whether it was cancelled. Any thread.
  final var isCancelled: Bool {
    // Sequentially consistent: see `ScheduledItem`. A plain load on most machines.
    cancelled.load(ordering: .sequentiallyConsistent)
  }

  /// Lets it run. Loop only, once.
  func start() {}

  /// Cancels the operation, and returns whether that was the first cancel and the
  /// operation had not begun. Any thread.
  ///
  /// May release the body's captures before the operation ends. Code that their
  /// release runs is part of the operation.
  @discardableResult
  final func cancel() -> Bool {
    let isFirst = !cancelled.exchange(true, ordering: .sequentiallyConsistent)
    var wasQueued = false
    CurrentOperation.with(self) { wasQueued = cancelQueued() }
    return isFirst && wasQueued
  }

  /// Dequeues the operation if it has not begun, and returns whether that is so.
  /// Any thread.
  func cancelQueued() -> Bool { false }

  /// Puts it behind those of `level`, if it waits; whether it does. Any thread.
  func move(to level: Int) -> Bool { false }

  /// Runs it on the calling thread, if it waits. Loop only.
  func runIfQueued() {}

  /// Tells its outcome. Loop only, once, after it ended.
  func complete(isCancelled: Bool) {}

  /// Nobody will be told. Loop only.
  func dropCompletion() {}

  override final func isAwaited(by transaction: AnyObject) -> Bool {
    core === transaction
  }

  override final var title: String { "\(name)" }
}

/// One that makes a `Value`.
class ValueItem<Value: Sendable>: OperationItem, @unchecked Sendable {
  // @unchecked: `outcome` is written by who runs the operation before it ends, and
  // read on the loop after that, by the transaction's word; `completion` is
  // touched on the loop only.

  final var outcome: AsyncTransaction.Outcome<Value> = .cancelled
  private final var completion: ((AsyncTransaction.Outcome<Value>) -> Void)?

  init(
    _ name: String,
    _ core: AsyncTransactionCore,
    _ completion: ((AsyncTransaction.Outcome<Value>) -> Void)?
  ) {
    self.completion = completion
    super.init(name, core)
  }

  override final func complete(isCancelled: Bool) {
    let outcome = outcome
    self.outcome = .cancelled
    guard let completion else { return }
    self.completion = nil
    completion(isCancelled || self.isCancelled ? .cancelled : outcome)
  }

  // A worker may be at it, and let go of it last.
  override final func dropCompletion() { completion = nil }

  /// What `body` makes or throws.
  static func outcome(
    _ body: () throws -> Value
  ) -> AsyncTransaction.Outcome<Value> {
    do {
      return .value(try body())
    } catch is CancellationError {
      return .cancelled
    } catch {
      return .failed(error)
    }
  }
}
