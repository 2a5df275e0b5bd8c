internal import CSDL

/// The SDL event of a host, and the turn that the event stands for. Any thread
/// may use it.
struct HostEvents: Sendable {
  private let type: UInt32
  private let turn = PendingTurn()

  /// Returns nil if SDL has no event types left.
  init?() {
    type = SDL_RegisterEvents(1)
    if type == .max { return nil }
  }

  /// Whether an event of `type` is input of a user: keys and text, the mouse, or
  /// touches.
  static func isInput(_ type: UInt32) -> Bool {
    switch SDL_EventType(type) {
    case SDL_KEYDOWN, SDL_KEYUP, SDL_TEXTEDITING, SDL_TEXTINPUT, SDL_MOUSEMOTION,
      SDL_MOUSEBUTTONDOWN, SDL_MOUSEBUTTONUP, SDL_MOUSEWHEEL, SDL_FINGERDOWN, SDL_FINGERUP,
      SDL_FINGERMOTION, SDL_MULTIGESTURE:
      true
    default: false
    }
  }

  /// Whether events of `type` belong to the host.
  func own(_ type: UInt32) -> Bool { type == self.type }

  /// Pushes an event for `turn`. If SDL's queue is full, nothing is pushed, and
  /// `areQueued` is false. Returns false if SDL's events have been shut down.
  func push(_ turn: @escaping @Sendable () -> Void) -> Bool {
    self.turn.replace(turn)
    var event = SDL_Event()
    event.type = type
    // The queue also accepts events before SDL_Init.
    if SDL_PushEvent(&event) >= 0 || SDL_WasInit(SDL_INIT_EVENTS) != 0 { return true }
    self.turn.replace(nil)
    return false
  }

  /// Runs the turn that was pushed last, unless it has run.
  func run() { turn.replace(nil)?() }

  /// Whether an event is in SDL's queue.
  var areQueued: Bool { SDL_HasEvent(type) == SDL_TRUE }

  /// Removes all events of the host from SDL's queue.
  func flush() {
    SDL_FlushEvent(type)
    turn.replace(nil)
  }
}
