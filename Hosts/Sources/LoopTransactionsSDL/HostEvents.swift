internal import CSDL

/// The SDL event types of a host. Any thread may push one of these events.
///
/// The host runs a turn for each of them.
struct HostEvents: Sendable {
  enum Kind: UInt32, CaseIterable {
    /// Pushed by the waiter thread.
    case waited
    /// Pushed by the host, on the loop's thread.
    case changed
    /// Pushed by a thread that has posted to the loop.
    case posted
  }

  private let first: UInt32

  /// Returns nil if SDL has no event types left.
  init?() {
    first = SDL_RegisterEvents(Int32(Kind.allCases.count))
    if first == .max { return nil }
  }

  /// Returns the kind of an event, or nil if the event does not belong to the host.
  func kind(of type: UInt32) -> Kind? {
    type >= first ? Kind(rawValue: type - first) : nil
  }

  /// Pushes an event. Returns false if SDL's queue is full.
  func push(_ kind: Kind) -> Bool {
    var event = SDL_Event()
    event.type = number(of: kind)
    return SDL_PushEvent(&event) == 1
  }

  /// Whether any event of the host is in SDL's queue.
  var areQueued: Bool { SDL_HasEvents(number(of: .waited), number(of: .posted)) == SDL_TRUE }

  func isQueued(_ kind: Kind) -> Bool { SDL_HasEvent(number(of: kind)) == SDL_TRUE }

  /// Removes all events of the host from SDL's queue.
  func flush() { SDL_FlushEvents(number(of: .waited), number(of: .posted)) }

  private func number(of kind: Kind) -> UInt32 { first + kind.rawValue }
}
