/// In which order a run measures its contenders.
public enum RoundOrder: String, Codable, CaseIterable, Sendable {
  /// Every round in another order that the seed decides.
  case shuffle
  /// The order of the registry, then the reverse, and so on: what drifts evenly
  /// favours nobody.
  case abba
  /// All rounds of one contender, then all of the next. It shows why not: what
  /// drifts on the machine is taken for a difference between peers.
  case block

  /// `contenders` in the order of `round`; round 0 is the first to warm up.
  package func arranged<Item>(_ contenders: [Item], round: Int, seed: UInt64) -> [Item] {
    switch self {
    case .shuffle:
      var order = contenders
      var generator = SeededGenerator(seed: seed, stream: UInt64(stream: "order/\(round)"))
      generator.shuffle(&order)
      return order
    case .abba: return round.isMultiple(of: 2) ? contenders.reversed() : contenders
    case .block: return contenders
    }
  }

  /// How a report's header says it.
  package static func text(_ order: String, seed: UInt64) -> String {
    switch RoundOrder(rawValue: order) {
    case .abba: "in ABBA order, seed \(seed)"
    case .block: "block by block, seed \(seed)"
    case .shuffle, nil: "shuffled by seed \(seed)"
    }
  }
}
