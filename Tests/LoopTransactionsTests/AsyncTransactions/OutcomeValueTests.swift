import LoopTransactions
import TestSupport
import Testing

/// An object that counts itself.
private final class Counted: Sendable {
  private let alive: Tally

  init(_ alive: Tally) {
    self.alive = alive
    alive.increment()
  }

  deinit { alive.add(-1) }
}

/// A generic value, for which each number has a type of its own.
private protocol Numbered: Sendable {
  init()
  static var depth: Int { get }
}

private struct Zero: Numbered {
  static let depth = 0
}

private struct Next<Before: Numbered>: Numbered {
  let number = depth
  private let before = Before()

  static var depth: Int { Before.depth + 1 }
}

/// A value that takes more than three words.
private struct Large: Sendable {
  let numbers = (1, 2, 3, 4)
  let object: Counted
}

@Suite("The values of outcomes")
struct OutcomeValueTests {
  // O6, O12
  @Test("values of any size and alignment reach their completions")
  func values() throws {
    try withLoop { loop in
      let (alive, scheduler) = (Tally(), OperationScheduler.alone())
      var seen: [String] = []
      let transaction = AsyncTransaction(on: loop, scheduler: scheduler)
      transaction.add { _ in
      } completion: {
        seen.append($0.value == nil ? "none" : "void")
      }
      transaction.add { _ in
        UInt8(7)
      } completion: {
        seen.append("\($0.value ?? 0)")
      }
      transaction.add { _ in
        (1, 2, 3)
      } completion: {
        seen.append("\($0.value?.2 ?? 0)")
      }
      transaction.add { _ in
        SIMD8<Double>(repeating: 4)
      } completion: {
        seen.append("\($0.value?[7] ?? 0)")
      }
      transaction.add { _ in
        Large(object: Counted(alive))
      } completion: {
        seen.append("\($0.value?.numbers.3 ?? 0), \(alive.value) alive")
      }
      transaction.add { _ -> Int? in
        nil
      } completion: {
        seen.append("\($0.value == .some(nil))")
      }
      transaction.commit()
      transaction.waitUntilComplete()
      #expect(seen == ["void", "7", "3", "4.0", "4, 1 alive", "true"])
      #expect(alive.value == 0)
    }
  }

  // O12
  @Test("a value without a completion, or of a cancelled operation, is released once")
  func released() throws {
    try withLoop { loop in
      let (alive, scheduler) = (Tally(), OperationScheduler.alone())
      var outcomes = 0
      for cancels in [false, true] {
        let transaction = AsyncTransaction(on: loop, scheduler: scheduler)
        let done = Gate()
        transaction.add { _ in Counted(alive) }
        transaction.add { _ in Large(object: Counted(alive)) }
        transaction.add { _ in
          Large(object: Counted(alive))
        } completion: { outcome in
          outcomes += outcome.value == nil ? 0 : 1
        }
        transaction.add(priority: .background) { _ in done.open() }
        transaction.commit()
        #expect(done.waitInTime())
        if cancels { transaction.cancel() }
        loop.run()
        #expect(alive.value == 0)
      }
      #expect(outcomes == 1)
    }
  }

  // O6
  @Test("each of many types of values reaches its completion, added in turn")
  func manyTypes() throws {
    try withLoop { loop in
      let scheduler = OperationScheduler.alone()
      var seen: [String] = []
      func add<Value: Numbered>(_: Value.Type, to transaction: AsyncTransaction) {
        transaction.add { _ in
          Value()
        } completion: { outcome in
          seen.append("\(Value.depth) \(outcome.value.map { type(of: $0).depth } ?? -1)")
        }
        transaction.add { _ -> Value in
          throw CancellationError()
        } completion: { outcome in
          seen.append("\(Value.depth) \(outcome.value == nil)")
        }
        if Value.depth < 24 { add(Next<Value>.self, to: transaction) }
      }
      for _ in 0..<2 {
        let transaction = AsyncTransaction(on: loop, scheduler: scheduler)
        add(Zero.self, to: transaction)
        transaction.commit()
        transaction.waitUntilComplete()
      }
      let expected = (0...24).flatMap { ["\($0) \($0)", "\($0) true"] }
      #expect(seen == expected + expected)
    }
  }
}
