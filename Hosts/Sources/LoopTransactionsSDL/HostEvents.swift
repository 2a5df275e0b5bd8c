internal import CSDL

/// The numbers of a host's events. Any thread may push one.
struct HostEvents: Sendable {
  /// Who pushes an event, to have a turn made.
  enum Kind: UInt32, CaseIterable {
    /// The waiter's thread.
    case waited
    /// The host, on the loop's thread.
    case changed
    /// A thread that posts.
    case posted
  }

  private let first: UInt32

  /// Nil if SDL has no numbers left.
  init?() {
    first = SDL_RegisterEvents(Int32(Kind.allCases.count))
    if first == .max { return nil }
  }

  /// What an event of `type` is; nil: not the host's.
  func kind(of type: UInt32) -> Kind? {
    type >= first ? Kind(rawValue: type - first) : nil
  }

  /// Whether SDL has room for the event.
  func push(_ kind: Kind) -> Bool {
    var event = SDL_Event()
    event.type = number(of: kind)
    return SDL_PushEvent(&event) == 1
  }

  /// Whether one of them waits in SDL's queue.
  var areQueued: Bool { SDL_HasEvents(number(of: .waited), number(of: .posted)) == SDL_TRUE }

  func isQueued(_ kind: Kind) -> Bool { SDL_HasEvent(number(of: kind)) == SDL_TRUE }

  /// Takes all out of the queue.
  func flush() { SDL_FlushEvents(number(of: .waited), number(of: .posted)) }

  private func number(of kind: Kind) -> UInt32 { first + kind.rawValue }
}
