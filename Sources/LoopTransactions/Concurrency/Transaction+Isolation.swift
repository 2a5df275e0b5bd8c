// Kept transactions of targets that are isolated to an actor.
extension Transaction {
  /// A transaction of `selector` on `target`, to be committed to `loop`.
  ///
  /// Call on the loop, which is the main thread's.
  @MainActor
  public convenience init<Target: MainActorTarget>(
    _ target: Target,
    _ selector: Selector<Target>,
    on loop: EventLoop,
    hold: Hold = .strong
  ) {
    self.init(onLoop: target, selector, loop, hold)
  }

  /// A transaction of `selector` on the actor `target`, to be committed to `loop`.
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

  // Under a name of its own, which no isolated one is preferred to.
  private convenience init<Target>(
    onLoop target: Target,
    _ selector: Selector<Target>,
    _ loop: EventLoop,
    _ hold: Hold
  ) {
    self.init(target, selector, on: loop, hold: hold)
  }
}
