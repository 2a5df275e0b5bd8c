import AsyncDisplay
import LoopTransactions
import LoopTransactionsTesting
import Synchronization
import Testing

/// The blocks of `EventLoop.whenIdle` beside a display.
@Suite("Idle blocks")
struct IdleBlockTests {
  // A tick is limited by time, not by a number of blocks.
  @Test(
    "with 1,000 idle blocks a tick exceeds the budget by at most one block and keeps their order"
  )
  func budget() throws {
    try withSteppedDisplay { display, stepped in
      let loop = stepped.loop
      loop.budget = EventLoop.Budget(time: .milliseconds(4))
      var called: [Int] = []
      for number in 0..<1000 {
        display.loop.whenIdle {
          called.append(number)
          stepped.spend(.microseconds(number == 500 ? 20_000 : 300))
        }
      }
      while !stepped.isIdle, called.count < 1000 {
        let (start, count) = (stepped.now, called.count)
        stepped.step()
        let spent = start.duration(to: stepped.now)
        let last: Duration = called.last == 500 ? .milliseconds(20) : .microseconds(300)
        #expect(spent <= .milliseconds(4) + last)
        #expect(called.count > count)
      }
      #expect(called == Array(0..<1000))
      stepped.runUntilIdle()
    }
  }

  @Test("a cancelled idle block is not called and releases its captures")
  func cancels() throws {
    try withSteppedDisplay { display, stepped in
      var held: Painter? = Painter()
      weak let witness = held
      let trace = stepped.trace
      let block = display.loop.whenIdle { [held] in trace.record(held?.name ?? "") }
      let other = display.loop.whenIdle {
        trace.record("other")
        display.loop.whenIdle { trace.record("next") }
      }
      held = nil
      block.cancel()
      #expect(witness == nil && !block.isWaiting && other.isWaiting)
      stepped.step()
      #expect(trace.take() == ["other"] && !other.isWaiting)
      stepped.step()
      #expect(trace.take() == ["next"])
      stepped.runUntilIdle()
    }
  }

  @Test("idle blocks run when no layer waits, so all waiting displays begin first")
  func order() throws {
    try withSteppedDisplay { display, stepped in
      let (trace, loop) = (stepped.trace, stepped.loop)
      loop.budget = EventLoop.Budget(time: .milliseconds(4))
      let painter = Painter(trace)
      let layer = Layer(in: display, painter)
      layer.displaysAsynchronously = false
      for _ in 0..<100 {
        display.loop.whenIdle {
          trace.record("idle")
          stepped.spend(.milliseconds(5))
        }
      }
      for number in 1...3 {
        // Invalidates the layer in the same tick. This happens either first in
        // the tick or just before the display commit.
        loop.addObserver(for: .beforeWaiting, order: number == 2 ? 1_999_999 : 0, repeats: false) {
          _ in layer.setNeedsDisplay()
        }
        stepped.step()
        let display = ["will \(number)", "draw \(number)", "did \(number) displayed"]
        #expect(trace.take() == display + ["idle"])
      }
      loop.budget = .unlimited
      stepped.runUntilIdle()
      #expect(trace.take().count == 97)
    }
  }

  @Test("a layer invalidated by an idle block is drawn in the same tick or the next")
  func invalidates() throws {
    try withSteppedDisplay { display, stepped in
      let painter = Painter(stepped.trace)
      let layer = Layer(in: display, painter)
      layer.displaysAsynchronously = false
      display.loop.whenIdle { layer.setNeedsDisplay() }
      stepped.step()
      stepped.step()
      #expect(stepped.trace.take() == ["will 1", "draw 1", "did 1 displayed"])
      stepped.runUntilIdle()
    }
  }

  @Test("1,000 tasks stay within the worker limit, and a tick within the budget plus one block")
  func thousand() throws {
    try withDisplay(workers: 3) { display in
      let loop = display.loop
      loop.budget = EventLoop.Budget(time: .milliseconds(4))
      let running = Running()
      var (ended, inTick, most) = (0, 0, 0)
      loop.addObserver(for: .afterWaiting, order: .min) { _ in inTick = 0 }
      let clock = ContinuousClock()
      for number in 0..<1000 {
        let transaction = AsyncTransaction(on: loop, name: "task", scheduler: display.scheduler)
        transaction.add("work") { _ in
          running.enter()
          defer { running.leave() }
          // The first task runs until a second worker runs, however late the
          // second worker starts.
          let end = clock.now.advanced(by: number == 0 ? .seconds(10) : .microseconds(50))
          while clock.now < end, number > 0 || running.most < 2 {}
        } completion: { _ in
          display.loop.whenIdle {
            // Each block takes at least 500 µs, so 8 blocks fit into a budget.
            let end = clock.now.advanced(by: .microseconds(500))
            while clock.now < end {}
            (ended, inTick) = (ended + 1, inTick + 1)
            most = max(most, inTick)
          }
        }
        transaction.commit()
      }
      let isFinished = display.settle()
      #expect(isFinished && ended == 1000)
      #expect(running.most <= 3 && running.most > 1)
      #expect(most <= 9)
    }
  }
}

/// Counts the threads that have entered and not left, and records the highest
/// count.
private final class Running: Sendable {
  // Relaxed: only the counts matter, and each update is one atomic operation.
  private let count = Atomic<Int>(0)
  private let peak = Atomic<Int>(0)

  var most: Int { peak.load(ordering: .relaxed) }

  func enter() {
    let now = count.wrappingAdd(1, ordering: .relaxed).newValue
    _ = peak.max(now, ordering: .relaxed)
  }

  func leave() { count.wrappingSubtract(1, ordering: .relaxed) }
}
