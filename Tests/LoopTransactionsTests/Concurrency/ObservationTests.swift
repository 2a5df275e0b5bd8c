import LoopTransactions
import LoopTransactionsTesting
import Observation
import TestSupport
import Testing

@Observable
private final class Model {
  var title = "a"
  var body = "b"
  var showsBody = false
}

private final class Label {
  static let layout = Selector<Label>.withObservation("observed layout") { $0.layOut() }
  static let fail = Selector<Label>.withObservation("observed failure") { label in
    _ = label.model.title
    throw Failure()
  }

  struct Failure: Error {}

  let model: Model
  let trace: Trace
  var onLayout: () -> Void = {}

  init(_ model: Model, _ trace: Trace) { (self.model, self.trace) = (model, trace) }

  func layOut() {
    trace.record(model.showsBody ? model.title + model.body : model.title)
    onLayout()
  }
}

@Suite("Selector.withObservation")
struct ObservationTests {
  @Test("a change of a property that the action read commits it again, once per tick")  // C4
  func changes() throws {
    try withSteppedLoop { stepped in
      let model = Model()
      let label = Label(model, stepped.trace)
      stepped.loop.commit(label, Label.layout)
      stepped.runUntilIdle()
      for title in ["x", "y", "z"] { model.title = title }
      #expect(stepped.loop.isPending(label, Label.layout))
      stepped.runUntilIdle()
      #expect(stepped.trace.take() == ["a", "z"])
      #expect(stepped.runUntilIdle() == 0)
    }
  }

  @Test("a change of a property that the last run did not read does not commit")  // C4
  func dependencies() throws {
    try withSteppedLoop { stepped in
      let model = Model()
      let label = Label(model, stepped.trace)
      stepped.loop.commit(label, Label.layout)
      stepped.runUntilIdle()
      model.body = "c"
      #expect(!stepped.loop.isPending(label, Label.layout))
      model.showsBody = true
      stepped.runUntilIdle()
      model.body = "d"
      #expect(stepped.loop.isPending(label, Label.layout))
      stepped.runUntilIdle()
      model.showsBody = false
      stepped.runUntilIdle()
      model.body = "e"
      #expect(!stepped.loop.isPending(label, Label.layout))
      #expect(stepped.trace.events == ["a", "ac", "ad", "a"])
    }
  }

  @Test("a change by another action of the flush performs the action in the next tick")  // C4, T4
  func changedDuringFlush() throws {
    try withSteppedLoop { stepped in
      let model = Model()
      let label = Label(model, stepped.trace)
      stepped.loop.commit(label, Label.layout)
      stepped.runUntilIdle()
      stepped.loop.commit { model.title = "late" }
      stepped.step()
      #expect(stepped.trace.take() == ["a"])
      stepped.step()
      #expect(stepped.trace.events == ["late"])
    }
  }

  @Test("an action's own changes do not perform it again, but the next change does")  // C4
  func changesItself() throws {
    try withSteppedLoop { stepped in
      let model = Model()
      let label = Label(model, stepped.trace)
      label.onLayout = { model.title = "its own" }
      stepped.loop.commit(label, Label.layout)
      #expect(stepped.runUntilIdle() == 1)
      #expect(!stepped.loop.isPending(label, Label.layout))
      label.onLayout = {}
      model.title = "z"
      stepped.runUntilIdle()
      #expect(stepped.trace.events == ["a", "z"])
    }
  }

  @Test("performing an action repeatedly without a change does not accumulate observations")  // C4
  func forgets() throws {
    try withSteppedLoop { stepped in
      let model = Model()
      let label = Label(model, stepped.trace)
      for _ in 0..<1000 {
        stepped.loop.commit(label, Label.layout)
        stepped.step()
        stepped.trace.take()
      }
      let before = stepped.loop.metrics.coalesced
      model.title = "z"
      // The model holds one observation, not a thousand.
      #expect(stepped.loop.metrics.coalesced == before)
      #expect(stepped.loop.isPending(label, Label.layout))
    }
  }

  @Test("an observation does not retain its target, and dead targets do not accumulate")  // C4, T5
  func lifetime() throws {
    try withSteppedLoop { stepped in
      let model = Model()
      weak var dead: Label?
      for _ in 0..<1000 {
        let label = Label(model, stepped.trace)
        dead = label
        stepped.loop.commit(label, Label.layout)
        stepped.step()
      }
      // A new target may be allocated at a dead target's address, and must not
      // be mistaken for that target.
      var others: [Label] = []
      for _ in 0..<1000 {
        stepped.loop.commit(Label(model, stepped.trace), Label.layout)
        stepped.step()
        others.append(Label(model, stepped.trace))
      }
      #expect(others.count == 1000)
      #expect(dead == nil)
      #expect(stepped.loop.observedCount <= 32)
      model.title = "z"
      #expect(stepped.isIdle)
    }
  }

  @Test("an action that throws is reported, and still performed after the next change")  // C4, T9
  func throwing() throws {
    try withSteppedLoop { stepped in
      let model = Model()
      let (label, trace) = (Label(model, stepped.trace), stepped.trace)
      stepped.loop.errorHandler = { trace.record($0.selector) }
      stepped.loop.commit(label, Label.fail)
      stepped.runUntilIdle()
      model.title = "z"
      stepped.runUntilIdle()
      #expect(trace.events == ["observed failure", "observed failure"])
    }
  }

  @Test("a change on another thread commits on the loop and wakes it")  // C4, T6
  func elsewhereChanged() throws {
    try withSteppedLoop { stepped in
      let model = Smuggled(Model())
      let label = Label(model.value, stepped.trace)
      stepped.loop.commit(label, Label.layout)
      stepped.runUntilIdle()
      TestThread.run { model.value.title = "elsewhere" }
      stepped.runUntilIdle()
      #expect(stepped.trace.events == ["a", "elsewhere"])
    }
  }

  @Test("with two loops on a thread, a change commits to the performing loop, also in close()")
  func twoLoops() throws {  // C4
    let model = Model()
    try withSteppedLoop { first in
      let label = Label(model, first.trace)
      try withSteppedLoop { second in
        first.loop.commit(label, Label.layout)
        second.loop.run(.noWait)
        first.loop.performIfNeeded(label, Label.layout)
        model.title = "z"
        #expect(first.loop.isPending(label, Label.layout))
        #expect(!second.loop.isPending(label, Label.layout))
      }
      first.runUntilIdle()
      #expect(first.trace.events == ["a", "z"])
      // close() performs this commit once.
      first.loop.commit(label, Label.layout)
    }
    model.title = "after"
  }
}
