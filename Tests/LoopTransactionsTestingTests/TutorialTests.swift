// snippet.imports
import LoopTransactions
import LoopTransactionsTesting
import Testing
// snippet.end

// The code of the tutorial "Testing your code".

// snippet.draft
/// Saves its text two seconds after the last change.
private final class Draft {
  private(set) var saved: [String] = []
  private let loop: EventLoop
  private let scheduler: OperationScheduler
  private var text = ""
  private var timer: LoopTimer?

  init(on loop: EventLoop, _ scheduler: OperationScheduler = .shared) {
    self.loop = loop
    self.scheduler = scheduler
  }

  func type(_ more: String) {
    text += more
    timer?.cancel()
    timer = loop.addTimer(after: .seconds(2)) { [weak self] _ in
      self?.save()
    }
  }

  private func save() {
    let transaction = AsyncTransaction(on: loop, scheduler: scheduler)
    let text = text
    transaction.add("save") { _ in
      text.uppercased()
    } completion: { [weak self] outcome in
      if let value = outcome.value { self?.saved.append(value) }
    }
    transaction.commit()
  }
}
// snippet.end

@Suite("The tutorial about tests")
struct TutorialTests {
  // snippet.time
  @Test("a draft is saved two seconds after the last change")
  func time() throws {
    let stepped = try SteppedLoop()
    let workers = SteppedScheduler(on: stepped)
    let draft = Draft(on: stepped.loop, workers.scheduler)
    draft.type("a")
    stepped.advance(by: .seconds(1))
    draft.type("b")
    stepped.advance(by: .seconds(1))
    #expect(draft.saved.isEmpty)
    stepped.advance(by: .seconds(1))
    #expect(draft.saved == ["AB"])
    try stepped.close()
  }
  // snippet.end

  // snippet.trace
  @Test("two changes start one save, in the tick of the timer")
  func trace() throws {
    let stepped = try SteppedLoop()
    let workers = SteppedScheduler(on: stepped)
    let draft = Draft(on: stepped.loop, workers.scheduler)
    draft.type("a")
    draft.type("b")
    stepped.trace.follow(stepped.loop, .beforeWaiting)
    stepped.advance(by: .seconds(2))
    stepped.trace.record("saved \(draft.saved)")
    let events = ["beforeWaiting", "beforeWaiting", "saved [\"AB\"]"]
    #expect(stepped.trace.events == events)
    try stepped.close()
  }
  // snippet.end

  // snippet.seeds
  @Test("the order of the steps does not matter", arguments: UInt64(0)..<100)
  func seeds(_ seed: UInt64) throws {
    let stepped = try SteppedLoop(seed: seed)
    let workers = SteppedScheduler(on: stepped)
    let draft = Draft(on: stepped.loop, workers.scheduler)
    draft.type("a")
    stepped.advance(by: .seconds(1))
    draft.type("b")
    stepped.advance(by: .seconds(2))
    #expect(draft.saved == ["AB"])
    try stepped.close()
  }
  // snippet.end

  // snippet.orders
  @Test("a slow save can be overtaken by the next one")
  func orders() throws {
    var results: Set<[String]> = []
    try SteppedLoop.forEachOrder { stepped in
      let workers = SteppedScheduler(
        on: stepped,
        operationTime: .zero ... .seconds(5)
      )
      let draft = Draft(on: stepped.loop, workers.scheduler)
      draft.type("a")
      stepped.advance(by: .seconds(2))
      draft.type("b")
      stepped.advance(by: .seconds(9))
      results.insert(draft.saved)
    }
    #expect(results == [["A", "AB"], ["AB", "A"]])
  }
  // snippet.end

  // snippet.user
  @Test("text that the user types at any moment is saved")
  func user() throws {
    var results: Set<[String]> = []
    try SteppedLoop.forEachOrder { stepped in
      let workers = SteppedScheduler(on: stepped)
      let user = SteppedScheduler(
        "user",
        on: stepped,
        workerLimit: 1,
        operationTime: .zero ... .seconds(2)
      )
      let draft = Draft(on: stepped.loop, workers.scheduler)
      draft.type("a")
      let action = AsyncTransaction(
        on: stepped.loop,
        scheduler: user.scheduler
      )
      action.add { _ in
      } completion: { _ in
        draft.type("b")
      }
      action.commit()
      stepped.advance(by: .seconds(9))
      results.insert(draft.saved)
    }
    #expect(results == [["AB"], ["A", "AB"]])
  }
  // snippet.end

  // snippet.task
  @MainActor
  @Test("a task that awaits the scheduler ends while the loop is stepped")
  func task() async throws {
    let stepped = try await SteppedLoop()
    let scheduler = SteppedScheduler(on: stepped).scheduler
    let task = Task { try await scheduler.run { _ in "AB".lowercased() } }
    #expect(try await stepped.value(of: task) == "ab")
    try stepped.close()
  }
  // snippet.end
}
