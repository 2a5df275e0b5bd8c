import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

@Suite("Observer")
struct ObserverTests {
  @Test("observers are called by ascending order, and with equal order in the order added")  // L3
  func order() throws {
    try withSteppedLoop { stepped in
      let orders = [5, -1, 5, 0, Int.max, Int.min, 0, 5]
      for (number, order) in orders.enumerated() {
        stepped.loop.addObserver(for: .beforeWaiting, order: order) { _ in
          stepped.trace.record("\(order) as \(number)")
        }
      }
      stepped.step()
      #expect(
        stepped.trace.events == [
          "\(Int.min) as 5", "-1 as 1", "0 as 3", "0 as 6", "5 as 0", "5 as 2", "5 as 7",
          "\(Int.max) as 4",
        ]
      )
    }
  }

  @Test("a one-shot observer of several activities is called once")  // L3
  func oneShot() throws {
    try withLoop { loop in
      let trace = Trace()
      let observer = loop.addObserver(for: [.entry, .beforeWaiting, .exit], repeats: false) {
        trace.record("\($0)")
      }
      #expect(observer.isActive)
      loop.run()
      loop.run()
      #expect(trace.events == ["entry"])
      #expect(!observer.isActive)
    }
  }

  @Test(
    "an observer added inside an observer is called from the next pass on",
    arguments: [-1, 0, 1]
  )
  func addedInside(order: Int) throws {  // L3
    try withSteppedLoop { stepped in
      let (loop, trace) = (stepped.loop, stepped.trace)
      loop.addObserver(for: .beforeWaiting, repeats: false) { _ in
        trace.record("adds")
        loop.addObserver(for: .beforeWaiting, order: order) { _ in trace.record("added") }
      }
      loop.addObserver(for: .beforeWaiting, order: 2) { _ in trace.record("last") }
      stepped.step()
      #expect(trace.take() == ["adds", "last"])
      stepped.step()
      #expect(trace.take() == ["added", "last"])
    }
  }

  @Test("an observer added and removed within one pass is never called")  // L3
  func addedAndRemovedInside() throws {
    try withSteppedLoop { stepped in
      let (loop, trace) = (stepped.loop, stepped.trace)
      loop.addObserver(for: .beforeWaiting, repeats: false) { _ in
        loop.addObserver(for: .beforeWaiting) { _ in trace.record("called") }.cancel()
      }
      stepped.step()
      stepped.step()
      #expect(trace.events == [])
    }
  }

  @Test("an observer added for exit in beforeWaiting is called in the same run")  // L3
  func addedForLaterActivity() throws {
    try withLoop { loop in
      let trace = Trace()
      let port = loop.awaitedPort
      loop.addObserver(for: .beforeWaiting, repeats: false) { _ in
        loop.addObserver(for: .exit, repeats: false) { trace.record("\($0)") }
      }
      loop.run(.noWait)
      withExtendedLifetime(port) {}
      #expect(trace.events == ["exit"])
    }
  }

  @Test("an observer removed by an earlier one is not called in the current pass")  // L3
  func removedInside() throws {
    try withSteppedLoop { stepped in
      let (loop, trace) = (stepped.loop, stepped.trace)
      var later: [Observer] = []
      loop.addObserver(for: .beforeWaiting) { _ in
        trace.record("removes")
        later.first?.cancel()
      }
      for number in 0..<2 {
        later.append(
          loop.addObserver(for: .beforeWaiting, order: 1) { _ in trace.record("\(number)") }
        )
      }
      stepped.step()
      stepped.step()
      #expect(trace.events == ["removes", "1", "removes", "1"])
      #expect(later.map(\.isActive) == [false, true])
    }
  }

  @Test("an observer that removes itself finishes its call, and the pass continues")  // L3
  func removesItself() throws {
    try withSteppedLoop { stepped in
      let (loop, trace) = (stepped.loop, stepped.trace)
      var own: Observer?
      own = loop.addObserver(for: .beforeWaiting) { _ in
        own?.cancel()
        own?.cancel()
        trace.record("self")
      }
      loop.addObserver(for: .beforeWaiting) { _ in trace.record("next") }
      stepped.step()
      stepped.step()
      #expect(trace.events == ["self", "next", "next"])
    }
  }

  @Test("an observer is called only for its own activities")  // L3
  func activities() throws {
    try withLoop { loop in
      let trace = Trace()
      let port = loop.awaitedPort
      trace.follow(loop, [.entry, .afterWaiting])
      loop.run(.noWait)
      withExtendedLifetime(port) {}
      #expect(trace.events == ["entry", "afterWaiting"])
    }
  }

  @Test("removing an observer releases its closure, even if the observer is retained")  // L3
  func releasesClosure() throws {
    try withSteppedLoop { stepped in
      let trace = stepped.trace
      let witness = Witness { trace.record("released") }
      let observer = stepped.loop.addObserver(for: .beforeWaiting) { [witness] _ in
        witness.touch()
      }
      _ = consume witness
      observer.cancel()
      #expect(trace.events == ["released"])
    }
  }

  @Test(
    "a closure that removes its observer lives until its call returns",
    arguments: [true, false]
  )
  func removedInCall(_ repeats: Bool) throws {  // L3
    try withSteppedLoop { stepped in
      let (loop, trace) = (stepped.loop, stepped.trace)
      var observer: Observer?
      let witness = Witness { trace.record("released") }
      observer = loop.addObserver(for: .beforeWaiting, repeats: repeats) { [witness] _ in
        observer?.cancel()
        trace.record("cancelled")
        witness.touch()
      }
      _ = consume witness
      loop.addObserver(for: .beforeWaiting, order: 1) { _ in trace.record("next") }
      stepped.step()
      #expect(trace.events == ["cancelled", "released", "next"])
    }
  }

  @Test("a removed observer is released by the end of the current pass")  // L3, L11
  func released() throws {
    try withSteppedLoop { stepped in
      let loop = stepped.loop
      let observers = (0..<3).map { _ in WeakObserver() }
      observers[0].add(to: loop)?.cancel()
      #expect(observers[0].value == nil)
      observers[1].add(to: loop)
      loop.addObserver(for: .beforeWaiting, repeats: false) { _ in
        observers[1].value?.cancel()
        observers[2].add(to: loop)?.cancel()
      }
      stepped.step()
      #expect(observers.allSatisfy { $0.value == nil })
    }
  }

  private final class WeakObserver {
    weak var value: Observer?

    @discardableResult
    func add(to loop: EventLoop) -> Observer? {
      value = loop.addObserver(for: [.beforeWaiting, .exit]) { _ in }
      return value
    }
  }

  @Test(
    "an observer without activities is inactive, and removing it does no harm",
    arguments: [0, 240]
  )
  func ofNothing(rawValue: UInt8) async {  // L3
    await #expect(processExitsWith: .success) { [rawValue] in
      var loop: EventLoop? = try EventLoop()
      let observer = loop?.addObserver(for: EventLoop.Activity(rawValue: rawValue)) { _ in }
      #expect(observer?.isActive == false)
      try loop?.close()
      loop = nil
      observer?.cancel()
    }
  }

  @Test("closing the loop deactivates its observers, and removing them does no harm")  // L3, L11
  func closed() throws {
    let loop = try EventLoop()
    let observer = loop.addObserver(for: .beforeWaiting) { _ in }
    try loop.close()
    #expect(!observer.isActive)
    observer.cancel()
  }
}
