extension Selector {
  /// Creates a selector whose action is performed again when an `@Observable`
  /// property that it read is about to change.
  ///
  /// Call from any thread. The change commits the pair like any other commit.
  /// However many properties change, the action is performed once before the
  /// loop next blocks. If another action made the change during the flush, it
  /// is performed in the next tick. Only the properties that the action read
  /// when it was last performed count. The observed objects hold the target
  /// weakly; the commit retains it as usual.
  ///
  /// Once a commit of the pair has waited for a frame of a `FrameClock`, changes
  /// commit the pair for that clock's next frame, until the clock is cancelled.
  /// So it is performed at most once per frame. A commit without the clock
  /// brings it forward, as usual, and does not affect later changes.
  ///
  /// `EventLoop.cancel` ends the observation until the action is performed
  /// again, and `EventLoop.stopObserving` ends all observations of a target.
  ///
  /// Changes are noticed once the action has returned. If the action itself
  /// changes a property after reading it, it is not performed again. Such an
  /// action should use the value it sets, or commit itself again. If an action
  /// performs another one with `performIfNeeded`, a property that the inner
  /// action reads counts as read by both, as in any nested observation tracking.
  /// Performing the inner action again later does not perform the outer one. The
  /// same holds for your own `withObservationTracking` around or inside an
  /// action. An action performed inside such a tracking stays registered with
  /// the observed objects until they change, as the tracking itself does.
  ///
  /// Change the objects on the loop's thread. A change on another thread is
  /// noticed too, except while the action runs. Observation reports a change
  /// before it is made, so the action may still see the old value.
  ///
  /// ```swift
  /// static let layout = Selector<Label>.withObservation("layout") {
  ///   $0.show($0.model.title)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - name: The name of the selector.
  ///   - fileID: The same as for any selector, like `line` and `action`.
  /// - Complexity: Performing the action is O(n) in the properties it reads,
  ///   and allocates.
  @_disfavoredOverload
  public static func withObservation(
    _ name: String,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ action: @escaping @Sendable (Target) throws -> Void
  ) -> Selector {
    Selector(name, SelectorOrigin(fileID, line, RawClosure(action)), observing: action)
  }

  // Has a name of its own, so that the compiler does not prefer an isolated
  // overload.
  init(
    _ name: String,
    _ origin: SelectorOrigin,
    observing action: @escaping @Sendable (Target) throws -> Void
  ) {
    self.init(
      name,
      origin,
      erased: { object in
        let target = unsafeDowncast(object, to: Target.self)
        guard let loop = EventLoop.current else { return try action(target) }
        // The first selector with this name, because that selector's action is
        // performed.
        let selector = Selector(name, nil, erased: { _ in })
        try loop.track(target, selector) { try action(target) }
      },
      observation: SelectorEntry.Observation(
        waitsForFrame: { loop, object, clock in
          let target = unsafeDowncast(object, to: Target.self)
          let selector = Selector(name, nil, erased: { _ in })
          loop.part(ObservedTargets.self).findOrCreate(target, selector, loop.core).clock = clock
        },
        end: { loop, pair in loop.part(ObservedTargets.self).end(pair) }
      )
    )
  }
}

extension Selector where Target: MainActorTarget {
  /// Creates a selector whose action is isolated to the main actor, and is
  /// performed again when an `@Observable` property that it read is about to
  /// change.
  ///
  /// Call from any thread. Otherwise the same as for other targets.
  public static func withObservation(
    _ name: String,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ action: @escaping @MainActor @Sendable (Target) throws -> Void
  ) -> Selector {
    Selector(
      name,
      SelectorOrigin(fileID, line, RawClosure(main: action)),
      observing: { try onMainActor($0, action) }
    )
  }
}

extension Selector where Target: Actor {
  /// Creates a selector whose action is isolated to its target, and is
  /// performed again when an `@Observable` property that it read is about to
  /// change.
  ///
  /// Call from any thread. Otherwise the same as for other targets.
  public static func withObservation(
    _ name: String,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ action: @escaping @Sendable (isolated Target) throws -> Void
  ) -> Selector {
    Selector(
      name,
      SelectorOrigin(fileID, line, RawClosure(isolated: action)),
      observing: { target in try target.assumeIsolated { try action($0) } }
    )
  }
}

extension EventLoop {
  fileprivate func track<Target>(
    _ target: Target,
    _ selector: Selector<Target>,
    _ body: () throws -> Void
  ) throws {
    // A closing loop performs no action again, so nothing is tracked.
    guard takesCommits else { return try body() }
    try part(ObservedTargets.self).findOrCreate(target, selector, core).track(body)
  }
}
