/// A piece of work that a loop or a worker runs: its kind, and its name or place
/// in the source.
///
/// A value: read it on any thread.
public struct Work: Hashable, Sendable {
  /// A kind of work. The raw values may change between versions.
  public enum Kind: UInt8, Sendable, CaseIterable {
    /// Code that this library did not call, such as callbacks of other libuv
    /// handles.
    // The raw values are part of `OwnerWord`, at most 15, and indices of
    // `PieceCounts`, at most 11. Other processes read them: see
    // `LT_WORK_SLOTS_NAME`.
    case other = 1
    /// A closure or function posted by a `LoopPort` or an `EventLoop`.
    case post
    /// The callback of a timer or of a frame clock.
    case timer
    /// The callback of a descriptor, signal, child process or connection.
    case event
    /// A job of a task or an actor. On a worker it has the name of the scheduler.
    /// On a loop it has no name, because Swift's runtime does not report the name
    /// of a job's task outside of the task. The jobs and blocks that a
    /// `MainQueueBridge` runs in a tick are one piece with the name `main queue`.
    case job
    /// The callback of an observer.
    case observer
    /// An element of a queue.
    case element
    /// The action of a transaction.
    case transaction
    /// An idle block.
    case idleBlock
    /// The completions of an `AsyncTransaction`.
    case completion
    /// An operation of an `OperationScheduler`.
    case operation
  }

  /// The kind of work.
  public let kind: Kind

  /// The name or the place in the source, such as `Label.layout` or
  /// `App/Main.swift:12`. Empty if it is not known.
  public let name: String

  init(_ owner: OwnerWord) {
    kind = owner.kind
    name = owner.name
  }
}

extension Work: CustomStringConvertible {
  /// The kind and the name, such as `transaction Label.layout`.
  public var description: String { name.isEmpty ? "\(kind)" : "\(kind) \(name)" }
}
