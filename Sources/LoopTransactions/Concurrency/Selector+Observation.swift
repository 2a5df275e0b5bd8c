extension Selector {
  /// The selector called `name`, whose action is performed again when a property of
  /// an `@Observable` object that it read is about to change.
  ///
  /// Call from any thread. The change commits the pair, as anybody might: it is
  /// performed before the loop next waits, once however much changed, or in the next
  /// tick if another action changed it during the flush. What counts is what the
  /// action read the last time it was performed. The target is held weakly by what it
  /// read, and kept alive by the commit as always. Each performing reads anew, and
  /// forgets what was read before.
  ///
  /// Changes are noticed from when the action returns. What it changes itself, after
  /// it read it, does not perform it again: it shows what it sets, or commits anew.
  ///
  /// The objects have to be changed on the loop's thread. A change elsewhere is
  /// noticed too, but not while the action runs, and it is told before it is made:
  /// the action may still see the old value.
  ///
  /// ```swift
  /// static let layout = Selector<Label>.withObservation("layout") { $0.show($0.model.title) }
  /// ```
  ///
  /// - Parameters:
  ///   - fileID: As of any selector, and so are `line` and `action`.
  /// - Complexity: A performing is O(n) in the properties it reads, and allocates.
  @_disfavoredOverload
  public static func withObservation(
    _ name: String,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ action: @escaping @Sendable (Target) throws -> Void
  ) -> Selector {
    Selector(name, SelectorOrigin(fileID, line), observing: action)
  }

  // Under a name of its own, which no isolated one is preferred to.
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
        // The first selector of the name, which is the one that is performed.
        let selector = Selector(name, nil, erased: { _ in })
        try loop.track(target, selector) { try action(target) }
      }
    )
  }
}

extension Selector where Target: MainActorTarget {
  /// The selector called `name`, whose action is the main actor's, and performed
  /// again when a property of an `@Observable` object that it read is about to change.
  ///
  /// Call from any thread. As for other targets.
  public static func withObservation(
    _ name: String,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ action: @escaping @MainActor @Sendable (Target) throws -> Void
  ) -> Selector {
    Selector(name, SelectorOrigin(fileID, line), observing: { try onMainActor($0, action) })
  }
}

extension Selector where Target: Actor {
  /// The selector called `name`, whose action is isolated to its target, and
  /// performed again when a property of an `@Observable` object that it read is about
  /// to change.
  ///
  /// Call from any thread. As for other targets.
  public static func withObservation(
    _ name: String,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ action: @escaping @Sendable (isolated Target) throws -> Void
  ) -> Selector {
    Selector(
      name,
      SelectorOrigin(fileID, line),
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
    // Nothing is performed again by a loop that closes.
    guard takesCommits else { return try body() }
    try part(ObservedTargets.self).findOrCreate(target, selector, core).track(body)
  }
}
