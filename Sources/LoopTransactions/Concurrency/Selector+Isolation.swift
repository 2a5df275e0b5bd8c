// Selectors whose targets are isolated to an actor. Written like others: the compiler
// prefers these for such targets, as the plain ones are disfavoured.
extension Selector where Target: MainActorTarget {
  /// The selector called `name`, whose action is the main actor's.
  ///
  /// Call from any thread. See `init(_:_:)` of other targets.
  public init(
    _ name: String,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ action: @escaping @MainActor @Sendable (Target) throws -> Void
  ) {
    self.init(
      name,
      SelectorOrigin(fileID, line),
      erased: { object in
        try onMainActor(unsafeDowncast(object, to: Target.self), action)
      }
    )
  }
}

extension Selector where Target: Actor {
  /// The selector called `name`, whose action is isolated to its target: an actor
  /// whose executor is the port of the loop that performs it. Another loop traps.
  ///
  /// Call from any thread. See `init(_:_:)` of other targets.
  public init(
    _ name: String,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ action: @escaping @Sendable (isolated Target) throws -> Void
  ) {
    self.init(
      name,
      SelectorOrigin(fileID, line),
      erased: { object in
        try unsafeDowncast(object, to: Target.self).assumeIsolated { try action($0) }
      }
    )
  }
}

extension Selector.Carrying where Target: MainActorTarget {
  /// The selector called `name`, whose action is the main actor's, and whose
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
      SelectorOrigin(fileID, line),
      merge: keep.merge,
      onLoop: { target, value in
        try onMainActor(target) { try action($0, value) }
      }
    )
  }

  /// The selector called `name`, whose action is the main actor's, and whose
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
      SelectorOrigin(fileID, line),
      merge: merge,
      onLoop: { target, value in
        try onMainActor(target) { try action($0, value) }
      }
    )
  }
}

extension Selector.Carrying where Target: Actor {
  /// The selector called `name`, whose action is isolated to its target, and whose
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
      SelectorOrigin(fileID, line),
      merge: keep.merge,
      onLoop: { target, value in
        try target.assumeIsolated { try action($0, value) }
      }
    )
  }

  /// The selector called `name`, whose action is isolated to its target, and whose
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
      SelectorOrigin(fileID, line),
      merge: merge,
      onLoop: { target, value in
        try target.assumeIsolated { try action($0, value) }
      }
    )
  }
}

/// Calls `body` on the main actor, where the caller is; traps elsewhere.
func onMainActor<Target: MainActorTarget>(
  _ target: Target,
  _ body: @MainActor (Target) throws -> Void
) throws {
  // Before the runtime's own check, which says nothing when it fails.
  require(
    System.isMainThread,
    "\(Target.self): its transactions are the main actor's; commit them to the main thread's loop"
  )
  try MainActor.assumeIsolated { try body(target) }
}
