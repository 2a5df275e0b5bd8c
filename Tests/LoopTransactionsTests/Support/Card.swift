import LoopTransactions
import LoopTransactionsTesting

/// A target that records what is done with it, and where it is released.
final class Card {
  static let layout = Selector<Card>("layout") { $0.record("layout") }
  static let draw = Selector<Card>("draw") { $0.record("draw") }
  static let run = Selector<Card>("run") { $0.body?($0) }

  let name: String
  let trace: Trace
  var body: ((Card) -> Void)?

  /// A card called `name`; `body` is what `run` performs.
  init(_ name: String, _ trace: Trace, _ body: ((Card) -> Void)? = nil) {
    self.name = name
    self.trace = trace
    self.body = body
  }

  func record(_ event: String) { trace.record("\(name).\(event)") }
}

/// A target that may cross threads, and records where it is released.
final class SharedCard: Sendable {
  static let layout = Selector<SharedCard>("layout") { $0.trace.record("\($0.name).layout") }

  let name: String
  let trace: Trace

  /// A card called `name`.
  init(_ name: String, _ trace: Trace) {
    self.name = name
    self.trace = trace
  }
}

/// Records, when it is released, whether that happened on the thread it was made
/// on.
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
  /// A card called `new` that lies where another lay; nil if none of many does.
  static func atAddress(_ address: ObjectIdentifier, _ trace: Trace) -> Card? {
    var made: [Card] = []
    // The ones that lie elsewhere are kept meanwhile, so that each is at an
    // address of its own.
    for _ in 0..<10_000 {
      let card = Card("new", trace)
      if ObjectIdentifier(card) == address { return card }
      made.append(card)
    }
    return nil
  }
}
