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
