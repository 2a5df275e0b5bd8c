internal import CTestSupport

/// A function of the tests whose addresses are known.
package enum Plant: Int32, Sendable {
  case first = 0
  case second = 1

  /// Repeats `condition` in the function until it holds.
  package func run(until condition: () -> Bool) {
    withoutActuallyEscaping(condition) { condition in
      let context = Unmanaged.passRetained(Condition(holds: condition))
      defer { context.release() }
      ct_plant(rawValue, isOver, context.toOpaque())
    }
  }

  /// Whether the function is in `stack`.
  package func isIn(_ stack: [UInt]) -> Bool {
    stack.contains { ct_plant_contains(rawValue, $0) }
  }

  /// The name of the function in the symbol table.
  package var name: String { self == .first ? "ct_plant_first" : "ct_plant_second" }
}

private final class Condition {
  let holds: () -> Bool

  init(holds: @escaping () -> Bool) { self.holds = holds }
}

private func isOver(_ context: UnsafeMutableRawPointer?) -> Bool {
  guard let context else { return true }
  return Unmanaged<Condition>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.holds() }
}
