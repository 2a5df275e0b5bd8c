import LoopTransactions
import TestSupport
import Testing

// I6, I12
@Suite("ObserverList")
struct ObserverListTests {
  /// An observer list under test. It is not the list of the loop that creates
  /// its observers.
  private final class Bench {
    var list = ObserverList()
    let loop: EventLoop
    private var names: [ObjectIdentifier: String] = [:]

    init(_ loop: EventLoop) { self.loop = loop }

    @discardableResult
    func add(
      _ name: String,
      order: Int = 0,
      for activities: EventLoop.Activity = .beforeWaiting
    ) -> Observer {
      let observer = loop.addObserver(for: activities, order: order) { _ in }
      names[ObjectIdentifier(observer)] = name
      list.add(observer)
      return observer
    }

    func remove(_ observer: Observer) {
      observer.cancel()
      list.sweepLater()
    }

    /// Begins a pass. Returns the names of the observers it calls.
    func beginPass(_ index: Int = beforeWaiting) -> [String] {
      list.beginPass(index).map { names[ObjectIdentifier($0)] ?? "unknown" }
    }

    /// The names of the observers that a pass calls now.
    func called(_ index: Int = beforeWaiting) -> [String] {
      defer { list.endPass() }
      return beginPass(index)
    }

    var isQuiet: Bool { list.isQuiet(beforeWaiting) }
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
      #expect(bench.list.count == 3)
    }
  }

  @Test("an observer without activities is removed immediately")
  func noActivity() throws {
    try withBench { bench in
      let observer = bench.add("none", for: [])
      #expect(bench.list.isEmpty)
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
      #expect(!bench.list.isEmpty && bench.list.count == 3)
      bench.list.endPass()
      #expect(bench.called() == ["a", "b", "c"])
    }
  }

  @Test("an observer removed during a pass stays in its lists until the pass ends")
  func removedWithinPass() throws {
    try withBench { bench in
      let first = bench.add("first", for: [.beforeWaiting, .exit])
      bench.add("second")
      _ = bench.beginPass()
      bench.remove(first)
      #expect(bench.list.count == 3)
      bench.list.endPass()
      #expect(bench.list.count == 1)
      #expect(bench.called() == ["second"] && bench.called(Self.exit) == [])
    }
  }

  @Test("an observer added and removed within one pass is never called")
  func addedAndRemoved() throws {
    try withBench { bench in
      _ = bench.beginPass()
      bench.remove(bench.add("short"))
      bench.list.endPass()
      #expect(bench.list.isEmpty)
    }
  }

  @Test("outside a pass, an observer is removed immediately")
  func removedAtOnce() throws {
    try withBench { bench in
      let observer = bench.add("only")
      bench.remove(observer)
      #expect(bench.list.isEmpty && bench.list.count == 0)
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
      #expect(!bench.isQuiet && bench.list.hasWork(Self.beforeWaiting))
      sole.hasPendingWork = false
      #expect(bench.isQuiet && !bench.list.hasWork(Self.beforeWaiting))
      bench.remove(sole)
      #expect(bench.isQuiet)
    }
  }

  @Test("a list with two idle observers is not quiet until one of them is removed")
  func quietOfTwo() throws {
    try withBench { bench in
      let (first, second) = (bench.add("first"), bench.add("second"))
      first.isResting = true
      second.isResting = true
      #expect(!bench.isQuiet)
      bench.remove(first)
      #expect(bench.isQuiet)
      second.hasPendingWork = true
      #expect(!bench.isQuiet)
      second.hasPendingWork = false
    }
  }

  @Test("hasWork finds any observer of an activity with pending work")
  func work() throws {
    try withBench { bench in
      bench.add("awake")
      let worker = bench.add("worker")
      #expect(!bench.list.hasWork(Self.beforeWaiting))
      worker.hasPendingWork = true
      #expect(bench.list.hasWork(Self.beforeWaiting))
      #expect(!bench.list.hasWork(Self.exit))
      worker.hasPendingWork = false
    }
  }
}
