/// Puts the parts of a result in order, which workers end in any order.
struct InOrder<Part> {
  private(set) var next = 0
  private var early: [Int: Part] = [:]

  init() {}

  /// Returns the parts that continue the sequence, now that part `number` has arrived.
  mutating func arrived(_ part: Part, number: Int) -> [Part] {
    early[number] = part
    var parts: [Part] = []
    while let part = early.removeValue(forKey: next) {
      parts.append(part)
      next += 1
    }
    return parts
  }
}
