/// The rings of the calling thread.
enum TraceThread {
  // The thread's own ring, retained.
  private static let own = ThreadSlot(releaseRing)
  /// The ring of the loop that the thread runs, retained. A loop keeps a copy,
  /// because reading a global takes as long as recording an event.
  static let current = ThreadSlot(releaseRing)

  /// The ring where code of the calling thread records, if a trace runs: the
  /// ring of the loop that the thread runs, or the thread's own. Nil if the trace
  /// has no room for another ring.
  static var ring: TraceRing? {
    let trace = ForkGuard.trace
    guard trace != 0 else { return nil }
    if let ring = ring(in: current), ring.trace == trace { return ring }
    return ownRing(.thread, trace) { System.threadName }
  }

  /// Records the beginning or the end of an arrow to `object`, if a trace runs.
  static func recordArrow(
    _ kind: TraceEvent.Kind,
    _ topic: TraceEvent.Topic,
    to object: AnyObject
  ) {
    guard let ring else { return }
    let key = TraceEvent.key(of: object)
    ring.writer.append(TraceEvent(kind, at: ring.now, value: key, topic: topic))
  }

  /// The ring of the calling thread, which is a worker of the scheduler `name`.
  static func workerRing(_ name: String) -> TraceRing? {
    let trace = ForkGuard.trace
    guard trace != 0, let ring = ownRing(.worker, trace, { "worker (\(name))" }) else { return nil }
    return _fastPath(ring.kind == .worker) ? ring : replaceOwnRing(name)
  }

  /// Replaces the ring of kind `.thread` of a worker that recorded before its
  /// first batch.
  @inline(never)
  private static func replaceOwnRing(_ name: String) -> TraceRing? {
    let ring = TraceRegistry.makeRing(.worker) { "worker (\(name))" }
    replace(own, by: ring)
    return ring
  }

  /// Whether the code of a loop that the calling thread runs records in `ring`.
  ///
  /// - Parameter current: `TraceThread.current`.
  @inline(__always)
  static func isCurrent(_ ring: TraceRing, _ current: ThreadSlot) -> Bool {
    current.address == UnsafeMutableRawPointer(addressOf: ring)
  }

  /// Makes the code of a loop that the calling thread runs record in `ring`.
  static func enter(_ ring: TraceRing) { replace(current, by: ring) }

  /// Reverts `enter(_:)`: the thread runs the loop of `outer` again, if any.
  static func leave(_ ring: TraceRing, to outer: TraceRing?) {
    if current.address == UnsafeMutableRawPointer(addressOf: ring) { replace(current, by: outer) }
  }

  /// The ring of the loop that the calling thread runs, if it records.
  static var ringOfLoop: TraceRing? { ring(in: current) }

  private static func ownRing(
    _ kind: TraceRing.Kind,
    _ trace: UInt32,
    _ name: () -> String
  ) -> TraceRing? {
    if let ring = ring(in: own), ring.trace == trace { return ring }
    let ring = TraceRegistry.makeRing(kind, name: name)
    replace(own, by: ring)
    return ring
  }

  private static func ring(in slot: ThreadSlot) -> TraceRing? {
    slot.address?.object(as: TraceRing.self)
  }

  @inline(never)
  private static func replace(_ slot: ThreadSlot, by ring: TraceRing?) {
    let old = slot.address
    slot.address = ring.map { UnsafeMutableRawPointer(retaining: $0) }
    releaseRing(old)
  }
}

/// Releases a ring whose thread ends or no longer records in it.
private func releaseRing(_ address: UnsafeMutableRawPointer?) {
  guard let address else { return }
  Unmanaged<TraceRing>.fromOpaque(address).release()
}
