import LoopTransactions
import LoopTransactionsTesting
import Testing

/// A generic target whose selectors are in a separate enum.
private final class Holder<Value> {
  let trace: Trace

  init(_ trace: Trace) { self.trace = trace }
}

private enum HolderSelectors {
  static func show<Value>(_ type: Value.Type) -> Selector<Holder<Value>> {
    Selector("show") { $0.trace.record("show \(Value.self)") }
  }
}

@Suite("Selector")
struct SelectorTests {
  // T1
  @Test("two selectors with one type and name are the same selector, with the action of the first")
  func interned() throws {
    let first = Selector<Card>("interned") { $0.record("first") }
    let second = Selector<Card>("interned") { $0.record("second") }
    #expect(first == second)
    #expect(Set([first, second]).count == 1)
    #expect(second.name == "interned")
    #expect(second.description == "Card.interned")
    try stepping { stepped in
      let card = Card("a", stepped.trace)
      stepped.loop.commit(card, second)
      stepped.loop.commit(card, first)
      stepped.runUntilIdle()
      #expect(stepped.trace.events == ["a.first"])
    }
  }

  // T1
  @Test("selectors with one name differ by their target class")
  func differByClass() {
    class Base {}
    final class Derived: Base {}
    let base = Selector<Base>("same") { _ in }
    let derived = Selector<Derived>("same") { _ in }
    #expect(AnyHashable(base) != AnyHashable(derived))
    #expect(Selector<Base>("same") { _ in } == base)
    #expect(Selector<Base>("other") { _ in } != base)
  }

  // T1
  @Test("a generic class has one selector per generic argument")
  func generic() throws {
    #expect(HolderSelectors.show(Int.self) == HolderSelectors.show(Int.self))
    try stepping { stepped in
      let (one, two) = (Holder<Int>(stepped.trace), Holder<String>(stepped.trace))
      stepped.loop.commit(one, HolderSelectors.show(Int.self))
      stepped.loop.commit(two, HolderSelectors.show(String.self))
      stepped.loop.commit(one, HolderSelectors.show(Int.self))
      stepped.runUntilIdle()
      #expect(stepped.trace.events == ["show Int", "show String"])
    }
  }

  // T1
  @Test("eight threads that create the same selectors at the same time get equal selectors")
  func internedByManyThreads() {
    let names = (0..<200).map { "raced \($0)" }
    let made = Locked<[[Selector<Card>]]>([])
    everywhere(8) { _ in
      let selectors = names.map { Selector<Card>($0) { _ in } }
      made.withLock { $0.append(selectors) }
    }
    let all = made.withLock { $0 }
    #expect(all.count == 8)
    #expect(all.allSatisfy { $0 == all[0] })
    #expect(Set(all[0]).count == names.count)
    #expect(all[0].map(\.name) == names)
  }

  // T1, T8
  @Test(
    "selectors with one name differ by the type of their value"
  )
  func differByValue() throws {
    let none = Selector<Card>("told") { $0.record("told") }
    let number = Selector<Card>.Carrying<Int>("told") { $0.record("told \($1)") }
    let text = Selector<Card>.Carrying<String>("told") { $0.record("told '\($1)'") }
    #expect(Selector<Card>.Carrying<Int>("told") { _, _ in } == number)
    #expect(number.name == "told")
    try stepping { stepped in
      let card = Card("a", stepped.trace)
      stepped.loop.commit(card, none)
      stepped.loop.commit(card, number, 1)
      stepped.loop.commit(card, text, "x")
      stepped.loop.commit(card, none)
      stepped.runUntilIdle()
      #expect(stepped.trace.events == ["a.told", "a.told 1", "a.told 'x'"])
    }
  }
}
