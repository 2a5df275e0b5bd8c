import LoopTransactions
import LoopTransactionsTesting
import Observation
import TestSupport
import Testing

@Observable
private final class Model {
  var title = "a"
  var width = 1
}

private final class View {
  // Two selectors, because an action may perform another selector of its target.
  static let layout = Selector<View>.withObservation("nested layout") { try $0.onLayout($0) }
  static let measure = Selector<View>.withObservation("nested measure") { try $0.onMeasure($0) }

  struct Failure: Error {}

  let model: Model
  var onLayout: (View) throws -> Void
  var onMeasure: (View) throws -> Void = { _ in }

  init(_ model: Model = Model(), _ onLayout: @escaping (View) throws -> Void) {
    (self.model, self.onLayout) = (model, onLayout)
  }
}

extension SteppedLoop {
  /// Performs `selector` on `view` at once, as a layout that needs the result
  /// does.
  fileprivate func perform(_ view: View, _ selector: Selector<View> = View.layout) {
    loop.commit(view, selector)
    loop.performIfNeeded(view, selector)
  }

  /// Returns the names recorded between `change` and the next idle state, sorted,
  /// because the model reports to its observers in no particular order.
  fileprivate func recorded(after change: () -> Void) -> [String] {
    change()
    runUntilIdle()
    return trace.take().sorted()
  }
}

// C4
@Suite("Selector.withObservation: actions that perform others")
struct ObservationNestingTests {
  @Test("two actions that perform a shared one do not perform each other")
  func shared() throws {
    try stepping { stepped in
      let header = View {
        stepped.trace.record("header")
        _ = $0.model.title
      }
      let containers = ["1", "2"].map { name in
        View {
          stepped.trace.record(name)
          _ = $0.model.title
          stepped.perform(header)
        }
      }
      for view in containers { stepped.loop.commit(view, View.layout) }
      #expect(stepped.runUntilIdle() == 1)
      #expect(stepped.trace.take() == ["1", "header", "2", "header"])
      // Performing the header alone does not concern its containers either, and
      // takes no change from them.
      for _ in 0..<3 { stepped.perform(header) }
      #expect(stepped.recorded {} == ["header", "header", "header"])
      for view in containers {
        let name = view === containers[0] ? "1" : "2"
        #expect(stepped.recorded { view.model.title = "b" } == [name, "header"])
      }
      #expect(stepped.recorded { header.model.title = "c" }.contains("header"))
      #expect(stepped.isIdle)
    }
  }

  @Test("each of three nested actions is performed after a change of its own properties")
  func threeLevels() throws {
    try stepping { stepped in
      let trace = stepped.trace
      let inner = View { trace.record("inner \($0.model.title)") }
      let middle = View {
        stepped.perform(inner)
        trace.record("middle \($0.model.title)")
      }
      let outer = View {
        stepped.perform(middle)
        trace.record("outer \($0.model.title)")
      }
      stepped.perform(outer)
      trace.take()
      // In every order, and with several performances in between.
      for (round, view) in [inner, middle, inner, inner, middle, inner].enumerated() {
        stepped.perform(view)
        trace.take()
        let title = "\(round)"
        #expect(stepped.recorded { outer.model.title = title }.contains("outer \(title)"))
        #expect(stepped.recorded { middle.model.title = title }.contains("middle \(title)"))
        #expect(stepped.recorded { inner.model.title = title }.contains("inner \(title)"))
        #expect(stepped.isIdle)
      }
    }
  }

  @Test("an action may perform another selector of its target")
  func ownTarget() throws {
    try stepping { stepped in
      let view = View {
        stepped.trace.record("layout")
        _ = $0.model.title
        stepped.perform($0, View.measure)
      }
      view.onMeasure = {
        stepped.trace.record("measure")
        _ = $0.model.width
      }
      stepped.perform(view)
      stepped.trace.take()
      for _ in 0..<2 { stepped.perform(view, View.measure) }
      #expect(stepped.recorded {} == ["measure", "measure"])
      #expect(stepped.recorded { view.model.title = "b" } == ["layout", "measure"])
      #expect(stepped.recorded { view.model.width = 2 }.contains("measure"))
    }
  }

  @Test("an action that performs its own pair is performed after a change of any of its reads")
  func itself() throws {
    try stepping { stepped in
      var isMeasured = false
      let view = View {
        if isMeasured { return stepped.trace.record("width \($0.model.width)") }
        isMeasured = true
        stepped.perform($0)
        stepped.trace.record("title \($0.model.title)")
      }
      for title in ["b", "c"] {
        isMeasured = false
        stepped.perform(view)
        #expect(stepped.trace.take().first == "width 1")
        #expect(stepped.recorded { view.model.title = title } == ["width 1"])
      }
      #expect(stepped.recorded { view.model.width = 2 } == ["width 2"])
      #expect(stepped.recorded { view.model.title = "not read" } == [])
    }
  }

  @Test("an action that throws, inside another or around it, is performed after the next change")
  func throwing() throws {
    try stepping { stepped in
      let trace = stepped.trace
      stepped.loop.errorHandler = { _ in trace.record("error") }
      let inner = View {
        _ = $0.model.title
        throw View.Failure()
      }
      let outer = View {
        _ = $0.model.title
        stepped.perform(inner)
        throw View.Failure()
      }
      stepped.perform(outer)
      stepped.perform(inner)
      #expect(trace.take() == ["error", "error", "error"])
      #expect(stepped.recorded { outer.model.title = "b" } == ["error", "error"])
      #expect(stepped.recorded { inner.model.title = "b" }.contains("error"))
      #expect(stepped.recorded { outer.model.title = "c" } == ["error", "error"])
    }
  }

  @Test("an action of another loop of the thread may be performed inside")
  func twoLoops() throws {
    try stepping { first in
      try stepping { second in
        let header = View { _ = $0.model.title }
        let view = View {
          first.trace.record("view")
          _ = $0.model.title
          second.perform(header)
        }
        first.perform(view)
        for _ in 0..<2 { second.perform(header) }
        #expect(first.recorded {} == ["view"])
        #expect(first.recorded { view.model.title = "b" } == ["view"])
      }
    }
  }

  @Test("performing an action does not end a tracking of the program around it")
  func foreign() throws {
    try stepping { stepped in
      let view = View { _ = $0.model.title }
      let changes = Tally()
      // Twice, because the second performance ends the first one's tracking.
      withObservationTracking {
        for _ in 0..<2 { stepped.perform(view) }
      } onChange: {
        changes.increment()
      }
      for _ in 0..<3 { stepped.perform(view) }
      #expect(changes.value == 0)
      view.model.title = "b"
      #expect(changes.value == 1)
      #expect(stepped.runUntilIdle() == 1)
    }
  }

  @Test("two trackings of the program that arm again do not end each other")
  func foreignAgain() throws {
    try stepping { stepped in
      let view = View { _ = $0.model.title }
      let (loop, changes) = (Smuggled(stepped), Tally())
      let shared = Smuggled(view)
      @Sendable func arm() {
        withObservationTracking {
          loop.value.perform(shared.value)
        } onChange: {
          changes.increment()
          loop.value.loop.post { arm() }
        }
      }
      for _ in 0..<2 { arm() }
      for _ in 0..<10 { stepped.step() }
      #expect(changes.value == 0)
      view.model.title = "b"
      for _ in 0..<10 { stepped.step() }
      #expect(changes.value == 2)
    }
  }

  @Test("a tracking of the program inside an action, or around two, is not ended either")
  func foreignInside() throws {
    try stepping { stepped in
      let (trace, changes) = (stepped.trace, Tally())
      let inner = View {
        trace.record("inner")
        _ = $0.model.title
      }
      let other = View { _ = $0.model.title }
      let middle = View { _ in stepped.perform(inner) }
      let outer = View { view in
        trace.record("outer")
        withObservationTracking {
          for view in [inner, other, inner, middle] { stepped.perform(view) }
        } onChange: {
          changes.increment()
        }
        stepped.perform(inner)
        _ = view.model.title
      }
      withObservationTracking {
        stepped.perform(outer)
      } onChange: {
        changes.increment()
      }
      stepped.perform(outer)
      trace.take()
      for view in [inner, other, middle, inner, outer] { stepped.perform(view) }
      stepped.runUntilIdle()
      #expect(trace.take().count { $0 == "outer" } == 1)
      #expect(changes.value == 0)
      #expect(stepped.recorded { outer.model.title = "b" }.contains("outer"))
      // The tracking around the first performance.
      #expect(changes.value == 1)
      #expect(stepped.recorded { inner.model.title = "b" }.contains("outer"))
      #expect(changes.value > 1)
    }
  }

  @Test("performing a nested action repeatedly does not accumulate observations")
  func forgets() throws {
    try stepping { stepped in
      let counted = CountedModel()
      let inner = View { _ in _ = counted.value }
      let outer = View { _ in for _ in 0..<100 { stepped.perform(inner) } }
      stepped.perform(inner)
      let single = counted.costOfChange()
      for _ in 0..<10 { stepped.perform(outer) }
      for _ in 0..<100 { stepped.perform(inner) }
      // The outer action's, the inner action's inside of it, and the last one.
      #expect(counted.costOfChange() <= 3 * single)
    }
  }
}

/// A model with a property whose key path counts how often it is hashed, which
/// Observation does for each observation that a change ends.
private final class CountedModel: Observable {
  private struct Index: Hashable {
    let model: CountedModel

    static func == (one: Index, other: Index) -> Bool { one.model === other.model }

    func hash(into hasher: inout Hasher) { model.hashes += 1 }
  }

  private let registrar = ObservationRegistrar()
  private var hashes = 0

  private subscript(index: Index) -> Int { 0 }

  var value: Int {
    registrar.access(self, keyPath: \.[Index(model: self)])
    return 0
  }

  /// Changes the property, and returns how often its key path was hashed.
  func costOfChange() -> Int {
    hashes = 0
    registrar.withMutation(of: self, keyPath: \.[Index(model: self)]) {}
    return hashes
  }
}
