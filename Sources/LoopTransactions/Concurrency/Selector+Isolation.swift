// Selectors of targets that are isolated to an actor. They are written like
// other selectors. The compiler prefers these initializers, because the plain
// initializers are disfavored.
extension Selector where Target: MainActorTarget {
  /// Creates a selector whose action is isolated to the main actor.
  ///
  /// Call from any thread. See the initializer for other targets.
  public init(
    _ name: String,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ action: @escaping @MainActor @Sendable (Target) throws -> Void
  ) {
    self.init(
      name,
      SelectorOrigin(fileID, line, RawClosure(main: action)),
      erased: { object in
        try onMainActor(unsafeDowncast(object, to: Target.self), action)
      }
    )
  }
}

extension Selector where Target: Actor {
  /// Creates a selector whose action is isolated to its target, an actor.
  ///
  /// Call from any thread. The actor's executor must be the port of the loop
  /// that performs the transaction. Performing it on another loop traps. See
  /// the initializer for other targets.
  public init(
    _ name: String,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ action: @escaping @Sendable (isolated Target) throws -> Void
  ) {
    self.init(
      name,
      SelectorOrigin(fileID, line, RawClosure(isolated: action)),
      erased: { object in
        try unsafeDowncast(object, to: Target.self).assumeIsolated { try action($0) }
      }
    )
  }
}

extension Selector.Carrying where Target: MainActorTarget {
  /// Creates a selector whose action is isolated to the main actor, and whose
  /// transactions keep one of their values.
  ///
  /// Call from any thread.
  public init(
    _ name: String,
    keep: Keep = .last,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ action: @escaping @MainActor @Sendable (Target, Value) throws -> Void
  ) where Value: Sendable {
    self.init(
      name,
      SelectorOrigin(fileID, line, RawClosure(main: action)),
      merge: keep.merge,
      onLoop: { target, value in
        try onMainActor(target) { try action($0, value) }
      }
    )
  }

  /// Creates a selector whose action is isolated to the main actor, and whose
  /// transactions merge their values.
  ///
  /// Call from any thread.
  public init(
    _ name: String,
    merge: @escaping @Sendable (Value, Value) -> Value,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ action: @escaping @MainActor @Sendable (Target, Value) throws -> Void
  ) where Value: Sendable {
    self.init(
      name,
      SelectorOrigin(fileID, line, RawClosure(main: action)),
      merge: merge,
      onLoop: { target, value in
        try onMainActor(target) { try action($0, value) }
      }
    )
  }
}

extension Selector.Carrying where Target: Actor {
  /// Creates a selector whose action is isolated to its target, and whose
  /// transactions keep one of their values.
  ///
  /// Call from any thread.
  public init(
    _ name: String,
    keep: Keep = .last,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ action: @escaping @Sendable (isolated Target, Value) throws -> Void
  ) where Value: Sendable {
    self.init(
      name,
      SelectorOrigin(fileID, line, RawClosure(isolated: action)),
      merge: keep.merge,
      onLoop: { target, value in
        try target.assumeIsolated { try action($0, value) }
      }
    )
  }

  /// Creates a selector whose action is isolated to its target, and whose
  /// transactions merge their values.
  ///
  /// Call from any thread.
  public init(
    _ name: String,
    merge: @escaping @Sendable (Value, Value) -> Value,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ action: @escaping @Sendable (isolated Target, Value) throws -> Void
  ) where Value: Sendable {
    self.init(
      name,
      SelectorOrigin(fileID, line, RawClosure(isolated: action)),
      merge: merge,
      onLoop: { target, value in
        try target.assumeIsolated { try action($0, value) }
      }
    )
  }
}

/// Calls `body` on the main actor. Traps if the caller is not on the main
/// thread.
func onMainActor<Target: MainActorTarget>(
  _ target: Target,
  _ body: @MainActor (Target) throws -> Void
) throws {
  // Checked here, because the runtime's own check traps without a message.
  require(
    System.isMainThread,
    "\(Target.self): transactions of a MainActorTarget must be committed to the main thread's loop"
  )
  try MainActor.assumeIsolated { try body(target) }
}

/// The target of a `Transaction`, isolated to the main actor.
///
/// Conforming isolates a class to the main actor. Declare its selectors in the
/// same way as for any other class. Their actions run on the main actor, and a
/// commit from code outside the main actor does not compile. The loop must be
/// the main thread's, as created by `EventLoop.runMain(_:)`. Another loop traps
/// when it performs the transaction.
///
/// ```swift
/// final class Label: MainActorTarget {
///   static let layout = Selector<Label>("layout") { $0.layOut() }
///   func layOut() {}
/// }
/// ```
@MainActor
public protocol MainActorTarget: AnyObject, Sendable {}

// `Transaction` objects of targets that are isolated to an actor.
extension Transaction {
  /// Creates a transaction of `selector` on `target`, for commits to `loop`.
  ///
  /// Call on the loop, which must be the main thread's.
  @MainActor
  public convenience init<Target: MainActorTarget>(
    _ target: Target,
    _ selector: Selector<Target>,
    on loop: EventLoop,
    hold: Hold = .strong
  ) {
    self.init(onLoop: target, selector, loop, hold)
  }

  /// Creates a transaction of `selector` on the actor `target`, for commits to
  /// `loop`.
  ///
  /// Call on the loop, isolated to `target`.
  public convenience init<Target: Actor>(
    _ target: isolated Target,
    _ selector: Selector<Target>,
    on loop: EventLoop,
    hold: Hold = .strong
  ) {
    self.init(onLoop: target, selector, loop, hold)
  }

  // Has a name of its own, so that the compiler does not prefer an isolated
  // overload.
  private convenience init<Target>(
    onLoop target: Target,
    _ selector: Selector<Target>,
    _ loop: EventLoop,
    _ hold: Hold
  ) {
    self.init(target, selector, on: loop, hold: hold)
  }
}
