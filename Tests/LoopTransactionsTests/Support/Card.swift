import LoopTransactions
import LoopTransactionsTesting

/// A target that records its actions.
final class Card {
  static let layout = Selector<Card>("layout") { $0.record("layout") }
  static let draw = Selector<Card>("draw") { $0.record("draw") }
  static let run = Selector<Card>("run") { $0.body?($0) }

  let name: String
  let trace: Trace
  var body: ((Card) -> Void)?

  /// Creates a card called `name`. `run` performs `body`.
  init(_ name: String, _ trace: Trace, _ body: ((Card) -> Void)? = nil) {
    self.name = name
    self.trace = trace
    self.body = body
  }

  func record(_ event: String) { trace.record("\(name).\(event)") }
}

/// A target that may be used on any thread.
final class SharedCard: Sendable {
  static let layout = Selector<SharedCard>("layout") { $0.trace.record("\($0.name).layout") }

  let name: String
  let trace: Trace

  /// Creates a card called `name`.
  init(_ name: String, _ trace: Trace) {
    self.name = name
    self.trace = trace
  }
}

/// Records whether it is released on the thread it was created on.
final class ReleaseProbe: Sendable {
  static let touch = Selector<ReleaseProbe>("touch") { $0.trace.record("touched") }

  private let trace: Trace
  private let home = ThreadNumber.current

  init(_ trace: Trace) { self.trace = trace }

  deinit {
    trace.record(ThreadNumber.current == home ? "released here" : "released elsewhere")
  }
}

extension Card {
  /// Creates many cards called `new`. Returns the first card that is allocated
  /// at the given address, or nil.
  static func atAddress(_ address: ObjectIdentifier, _ trace: Trace) -> Card? {
    var made: [Card] = []
    // Retain the cards at other addresses, so that each new card has a
    // different address.
    for _ in 0..<10_000 {
      let card = Card("new", trace)
      if ObjectIdentifier(card) == address { return card }
      made.append(card)
    }
    return nil
  }
}
