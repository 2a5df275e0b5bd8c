import LoopTransactions
import LoopTransactionsTesting
import Observation
import TestSupport
import Testing

@Observable
private final class Model: @unchecked Sendable {
  // @unchecked: the tests change it on one thread at a time.
  var title = "a"
}

private final class View: @unchecked Sendable {
  // @unchecked: used on the loop's thread only.
  static let layout = Selector<View>.withObservation("ended layout") { $0.record("layout") }
  static let draw = Selector<View>.withObservation("ended draw") { $0.record("draw") }
  static let save = Selector<View>("ended save") { $0.record("save") }

  let model = Model()
  let trace: Trace
  var onRecord: (View) -> Void = { _ in }

  init(_ trace: Trace) { self.trace = trace }

  func record(_ action: String) {
    trace.record("\(action) \(model.title)")
    onRecord(self)
  }
}

// C4, T7
@Suite("Selector.withObservation: the end of an observation")
struct ObservationEndTests {
  enum Way: CaseIterable, Sendable {
    case pair, transaction, weakTransaction, target

    fileprivate func end(_ view: View, on loop: EventLoop) {
      switch self {
      case .pair: loop.cancel(view, View.layout)
      case .transaction: Transaction(view, View.layout, on: loop).cancel()
      case .weakTransaction: Transaction(view, View.layout, on: loop, hold: .weak).cancel()
      case .target: loop.stopObserving(view)
      }
    }
  }

  @Test(
    "after a cancel, no change performs the action, until it is performed again",
    arguments: Way.allCases
  )
  func ends(_ way: Way) throws {
    try stepping { stepped in
      let (loop, view) = (stepped.loop, View(stepped.trace))
      for round in ["b", "c"] {
        loop.commit(view, View.layout)
        stepped.runUntilIdle()
        way.end(view, on: loop)
        stepped.trace.take()
        view.model.title = round
        elsewhere { view.model.title += "!" }
        #expect(!loop.isPending(view, View.layout))
        stepped.runUntilIdle()
        #expect(stepped.trace.take() == [])
        loop.commit(view, View.layout)
        stepped.runUntilIdle()
        view.model.title = "observed"
        stepped.runUntilIdle()
        #expect(stepped.trace.take() == ["layout \(round)!", "layout observed"])
      }
      #expect(loop.observedCount <= 1)
    }
  }

  @Test(
    "a change that is pending, or was made on another thread before, is cancelled",
    arguments: Way.allCases
  )
  func pending(_ way: Way) throws {
    try stepping { stepped in
      let (loop, view) = (stepped.loop, View(stepped.trace))
      for isElsewhere in [false, true] {
        loop.commit(view, View.layout)
        stepped.runUntilIdle()
        stepped.trace.take()
        if isElsewhere { elsewhere { view.model.title = "b" } } else { view.model.title = "c" }
        way.end(view, on: loop)
        stepped.runUntilIdle()
        #expect(stepped.trace.take() == [])
      }
    }
  }

  @Test("an action that ends its own observation is not performed again")
  func within() throws {
    try stepping { stepped in
      let (loop, view) = (stepped.loop, View(stepped.trace))
      view.onRecord = { loop.cancel($0, View.layout) }
      loop.commit(view, View.layout)
      stepped.runUntilIdle()
      view.model.title = "b"
      #expect(stepped.runUntilIdle() == 0)
      #expect(stepped.trace.events == ["layout a"])
    }
  }

  @Test("stopObserving ends all observations of a target, and leaves other pairs pending")
  func target() throws {
    try stepping { stepped in
      let (loop, view, other) = (stepped.loop, View(stepped.trace), View(stepped.trace))
      for selector in [View.layout, View.draw] {
        loop.commit(view, selector)
        loop.commit(other, selector)
      }
      stepped.runUntilIdle()
      stepped.trace.take()
      view.model.title = "b"
      loop.commit(view, View.save)
      loop.stopObserving(view)
      view.model.title = "c"
      other.model.title = "other"
      stepped.runUntilIdle()
      #expect(stepped.trace.take().sorted() == ["draw other", "layout other", "save c"])
      // A pair that was never performed is cancelled, too.
      loop.commit(view, View.draw)
      loop.stopObserving(view)
      #expect(stepped.runUntilIdle() == 0)
    }
  }

  @Test("a cancelled pair forgets the clock of its frames")
  func clock() throws {
    try stepping { stepped in
      let (loop, view) = (stepped.loop, View(stepped.trace))
      let screen = try FrameClock(on: loop, framesPerSecond: 100)
      loop.commit(view, View.layout, atNextFrameOf: screen)
      loop.cancel(view, View.layout)
      stepped.advance(by: .milliseconds(20))
      #expect(stepped.trace.events == [])
      loop.commit(view, View.layout)
      stepped.step()
      view.model.title = "b"
      stepped.step()
      #expect(stepped.trace.events == ["layout a", "layout b"])
    }
  }

  @Test("an inner action's observation can be ended without the outer one's")
  func nested() throws {
    try stepping { stepped in
      let (loop, outer, inner) = (stepped.loop, View(stepped.trace), View(stepped.trace))
      outer.onRecord = { _ in
        loop.commit(inner, View.draw)
        loop.performIfNeeded(inner, View.draw)
      }
      loop.commit(outer, View.layout)
      stepped.runUntilIdle()
      loop.stopObserving(inner)
      stepped.trace.take()
      #expect(stepped.runUntilIdle() == 0)
      outer.model.title = "b"
      stepped.runUntilIdle()
      #expect(stepped.trace.take() == ["layout b", "draw a"])
    }
  }

  /// How the targets of an observed model live, one after the other.
  enum Life: String, CaseIterable, Codable, Sendable {
    case atOneAddress, atManyAddresses
    /// Performed in the action of a target that lives on.
    case nested
  }

  @Test(
    "a model that does not change keeps no memory of dead targets",
    .enabled(if: Interposed.isAvailable),
    arguments: Life.allCases
  )
  func dead(_ life: Life) async {
    // In a separate process, because other tests allocate too.
    await #expect(processExitsWith: .success) { [life] in
      let (stepped, outer) = (try SteppedLoop(), Reader(Model()))
      outer.performOthers(100, life, stepped)
      let before = Interposed.heapBytes
      let addresses = outer.performOthers(2000, life, stepped)
      let growth = Interposed.heapBytes - before
      // A tracking takes over 400 bytes.
      precondition(growth < 2000 * 150, "\(life): 2,000 dead targets take \(growth) bytes")
      withExtendedLifetime(addresses) {}
      try stepped.close()
    }
  }
}

private final class Reader: @unchecked Sendable {
  // @unchecked: used on the loop's thread only.
  static let read = Selector<Reader>.withObservation("ended read") { $0.read() }

  /// Keeps the memory of a reader, which is released.
  struct Address { unowned let reader: Reader }

  private let model: Model
  private var onRead: () -> Void = {}

  init(_ model: Model) { self.model = model }

  private func read() {
    _ = model.title
    onRead()
  }

  /// Performs `count` other readers of the model, one after the other.
  @discardableResult
  func performOthers(
    _ count: Int,
    _ life: ObservationEndTests.Life,
    _ stepped: SteppedLoop
  ) -> [Address] {
    let loop = stepped.loop
    return (0..<count).compactMap { _ in
      let reader = Reader(model)
      loop.commit(reader, Self.read)
      if life == .nested {
        onRead = { loop.performIfNeeded(reader, Self.read) }
        loop.performNow(self)
      }
      stepped.runUntilIdle()
      onRead = {}
      return life == .atManyAddresses ? Address(reader: reader) : nil
    }
  }
}

extension EventLoop {
  fileprivate func performNow(_ reader: Reader) {
    commit(reader, Reader.read)
    performIfNeeded(reader, Reader.read)
  }
}
