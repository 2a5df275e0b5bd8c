import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

// I6, I12
@Suite("ObserverList")
struct ObserverListTests {
  /// The observer list of a loop that does not run. The loop's own observers
  /// have no name and are left out.
  private final class Bench {
    let loop: EventLoop
    private let ownCount: Int
    private var names: [ObjectIdentifier: String] = [:]

    init(_ loop: EventLoop) {
      self.loop = loop
      ownCount = loop.observers.count
    }

    @discardableResult
    func add(
      _ name: String,
      order: Int = 0,
      for activities: EventLoop.Activity = .beforeWaiting
    ) -> Observer {
      let observer = loop.addObserver(for: activities, order: order) { _ in }
      names[ObjectIdentifier(observer)] = name
      return observer
    }

    /// Begins a pass. Returns the names of the observers in its snapshot.
    func beginPass(_ index: Int = beforeWaiting) -> [String] {
      loop.observers.beginPass(index).compactMap { slot in
        slot.reference.flatMap { names[ObjectIdentifier($0.takeUnretainedValue())] }
      }
    }

    func endPass() { loop.observers.endPass() }

    /// The names of the observers in the snapshot of a pass that begins now.
    func called(_ index: Int = beforeWaiting) -> [String] {
      defer { endPass() }
      return beginPass(index)
    }

    var count: Int { loop.observers.count - ownCount }
    var isQuiet: Bool { loop.observers.hasNoneAwake(at: beforeWaiting) }
    func hasWork(_ index: Int) -> Bool { loop.observers.hasWork(index) }
  }

  private static let beforeWaiting = 1
  private static let exit = 3

  private func withBench(_ body: (Bench) -> Void) throws {
    try withLoop { body(Bench($0)) }
  }

  @Test("observers are called in ascending order, and with equal order in the order added")
  func order() throws {
    try withBench { bench in
      bench.add("b", order: 1)
      bench.add("d", order: 2)
      bench.add("a", order: -1)
      bench.add("c", order: 1)
      bench.add("e", order: 2)
      #expect(bench.called() == ["a", "b", "c", "d", "e"])
    }
  }

  @Test("an observer is in the list of each of its activities, and in no other")
  func activities() throws {
    try withBench { bench in
      bench.add("both", for: [.beforeWaiting, .exit])
      bench.add("last", for: .exit)
      #expect((0..<4).map(bench.called) == [[], ["both"], [], ["both", "last"]])
      #expect(bench.count == 3)
    }
  }

  @Test("an observer without activities is removed immediately")
  func noActivity() throws {
    try withBench { bench in
      let observer = bench.add("none", for: [])
      #expect(bench.count == 0)
      #expect(!observer.isActive)
    }
  }

  @Test("an observer added during a pass is called from the next pass on, in its order")
  func addedWithinPass() throws {
    try withBench { bench in
      bench.add("b", order: 1)
      #expect(bench.beginPass() == ["b"])
      bench.add("a", order: 0)
      bench.add("c", order: 1)
      // This pass begins inside the first one, like the pass of a nested
      // activity.
      #expect(bench.called() == ["b"])
      #expect(bench.count == 3)
      bench.endPass()
      #expect(bench.called() == ["a", "b", "c"])
    }
  }

  @Test("an observer removed during a pass counts no longer, but stays until the pass ends")
  func removedWithinPass() throws {
    try withBench { bench in
      let first = bench.add("first", for: [.beforeWaiting, .exit])
      bench.add("second")
      _ = bench.beginPass()
      first.cancel()
      #expect(bench.count == 1)
      #expect(bench.called() == ["first", "second"])
      bench.endPass()
      #expect(bench.count == 1)
      #expect(bench.called() == ["second"] && bench.called(Self.exit) == [])
    }
  }

  @Test("an observer added and removed within one pass is never called")
  func addedAndRemoved() throws {
    try withBench { bench in
      _ = bench.beginPass()
      bench.add("short").cancel()
      bench.endPass()
      #expect(bench.count == 0)
    }
  }

  @Test("outside a pass, an observer is removed immediately")
  func removedAtOnce() throws {
    try withBench { bench in
      let observer = bench.add("only")
      observer.cancel()
      #expect(bench.count == 0)
      #expect(bench.isQuiet)
    }
  }

  @Test("a list is quiet without observers, and while its only observer is idle")
  func quiet() throws {
    try withBench { bench in
      #expect(bench.isQuiet)
      let sole = bench.add("sole")
      #expect(!bench.isQuiet)
      sole.isResting = true
      #expect(bench.isQuiet)
      sole.hasPendingWork = true
      #expect(!bench.isQuiet && bench.hasWork(Self.beforeWaiting))
      sole.hasPendingWork = false
      #expect(bench.isQuiet && !bench.hasWork(Self.beforeWaiting))
      sole.cancel()
      #expect(bench.isQuiet)
    }
  }

  @Test("a list of idle observers is quiet until one of them has work")
  func quietOfMany() throws {
    try withBench { bench in
      let observers = (0..<3).map { bench.add("\($0)", for: [.beforeWaiting, .exit]) }
      for observer in observers {
        #expect(!bench.isQuiet)
        observer.isResting = true
      }
      #expect(bench.isQuiet)
      for observer in observers { observer.hasPendingWork = true }
      for observer in observers {
        #expect(!bench.isQuiet)
        observer.cancel()
        // Has no effect on a removed observer.
        observer.isResting = false
        observer.hasPendingWork = true
      }
      #expect(bench.isQuiet)
    }
  }

  @Test("an observer added during a pass makes its list busy, and one removed makes it quiet")
  func quietDuringPass() throws {
    try withBench { bench in
      _ = bench.beginPass()
      let observer = bench.add("added")
      #expect(!bench.isQuiet)
      observer.cancel()
      #expect(bench.isQuiet)
      bench.endPass()
      #expect(bench.isQuiet && bench.count == 0)
    }
  }

  @Test("the order is kept while observers of few orders are added and removed")
  func churn() throws {
    try withBench { bench in
      var random = SeededGenerator(seed: 11)
      var expected: [(name: String, observer: Observer)] = []
      for number in 0..<400 {
        let isInPass = number % 5 == 0
        if isInPass { _ = bench.beginPass() }
        if expected.count > 20 || (Bool.random(using: &random) && !expected.isEmpty) {
          let index = Int.random(in: expected.indices, using: &random)
          expected.remove(at: index).observer.cancel()
        } else {
          let order = Int.random(in: 0..<3, using: &random)
          let place = expected.firstIndex { $0.observer.order > order } ?? expected.endIndex
          expected.insert(("\(number)", bench.add("\(number)", order: order)), at: place)
        }
        if isInPass { bench.endPass() }
        #expect(bench.called() == expected.map(\.name))
        #expect(bench.count == expected.count)
      }
    }
  }

  @Test("hasWork finds any observer of an activity with pending work")
  func work() throws {
    try withBench { bench in
      bench.add("awake")
      let worker = bench.add("worker")
      #expect(!bench.hasWork(Self.beforeWaiting))
      worker.hasPendingWork = true
      #expect(bench.hasWork(Self.beforeWaiting))
      #expect(!bench.hasWork(Self.exit))
      worker.hasPendingWork = false
    }
  }
}
