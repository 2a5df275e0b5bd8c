private import CSDLHost

/// The SDL event of a host, and the turn that the event stands for. Any thread
/// may use it.
struct HostEvents: Sendable {
  private let type: UInt32
  private let turn = PendingTurn()

  /// Returns nil if SDL has no event types left.
  init?() {
    type = lt_sdl_event_register()
    if type == .max { return nil }
  }

  /// Whether an event of `type` is input of a user: keys and text, the mouse, or
  /// touches.
  static func isInput(_ type: UInt32) -> Bool { lt_sdl_event_is_input(type) != 0 }

  /// Whether events of `type` belong to the host.
  func own(_ type: UInt32) -> Bool { type == self.type }

  /// Pushes an event for `turn`. If SDL's queue is full, nothing is pushed, and
  /// `areQueued` is false. Returns false if SDL's events have been shut down.
  func push(_ turn: @escaping @Sendable () -> Void) -> Bool {
    self.turn.replace(turn)
    if lt_sdl_event_push(type) != 0 { return true }
    self.turn.replace(nil)
    return false
  }

  /// Runs the turn that was pushed last, unless it has run.
  func run() { turn.replace(nil)?() }

  /// Whether an event is in SDL's queue.
  var areQueued: Bool { lt_sdl_event_is_queued(type) != 0 }

  /// Removes all events of the host from SDL's queue.
  func flush() {
    lt_sdl_event_flush(type)
    turn.replace(nil)
  }
}
