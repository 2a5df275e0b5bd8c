import AsyncDisplay
import LoopTransactions
import LoopTransactionsTesting
import Testing

/// The work of one transaction.
private final class Piece {
  static let perform = Selector<Piece>("budget piece") { $0.body() }

  private let body: () -> Void

  init(_ body: @escaping () -> Void) { self.body = body }
}

@Suite("Budget of the display commit")
struct BudgetTests {
  // The budget is so small that the first layer of a tick spends it on any
  // machine.
  private static let least = EventLoop.Budget(count: 1)

  /// Runs the loop of `display` until no work is left. Returns the number of
  /// displays that each tick began, without the ticks that began no displays.
  private func beginnings(of display: Display) -> [Int] {
    var (counts, last) = ([Int](), display.metrics.begun)
    let observer = display.loop.addObserver(for: .beforeWaiting, order: Display.order + 1) { _ in
      let begun = display.metrics.begun
      if begun > last { counts.append(begun - last) }
      last = begun
    }
    defer { observer.cancel() }
    #expect(display.settle())
    return counts
  }

  // L9
  @Test("layers beyond the budget are displayed in the next ticks, once each and in order")
  func carriesOver() throws {
    try withDisplay { display in
      display.loop.budget = Self.least
      let (trace, names) = (Trace(), ["a", "b", "c", "d", "e"])
      let painters = names.map { Painter(trace, name: "\($0) ") }
      let layers = painters.map { Layer(in: display, $0) }
      layers[3].priority = .high
      for layer in layers { layer.setNeedsDisplay() }
      #expect(beginnings(of: display) == [1, 1, 1, 1, 1])
      let wills = trace.events.filter { $0.contains("will") }
      #expect(wills == ["d will 1", "a will 1", "b will 1", "c will 1", "e will 1"])
      #expect(layers.allSatisfy { $0.contents != nil && !$0.needsDisplay })
      #expect(display.metrics.waiting == 0 && display.metrics.displayed == 5)
    }
  }

  // L9, D7
  @Test("layers drawn on the loop are drawn in their tick regardless of the budget")
  func synchronous() throws {
    try withDisplay { display in
      display.loop.budget = Self.least
      let painter = Painter()
      let layers = (0..<6).map { _ in Layer(in: display, painter) }
      for layer in layers[3...] { layer.displaysAsynchronously = false }
      for layer in layers { layer.setNeedsDisplay() }
      #expect(beginnings(of: display) == [4, 1, 1])
    }
  }

  // L9
  @Test("layers of a container begin in one tick regardless of the budget")
  func container() throws {
    try withDisplay { display in
      display.loop.budget = Self.least
      let page = TransactionContainer(
        on: display.loop,
        collects: true,
        scheduler: display.scheduler
      )
      let part = TransactionContainer(on: display.loop, in: page, scheduler: display.scheduler)
      let painter = Painter()
      let layers = (0..<5).map { _ in Layer(in: display, painter) }
      (layers[0].container, layers[2].container, layers[4].container) = (page, part, page)
      for layer in layers { layer.setNeedsDisplay() }
      #expect(beginnings(of: display) == [3, 1, 1])
    }
  }

  // L9, D7
  @Test("neither waiting for layers nor commit() is limited by the budget")
  func waited() throws {
    try withDisplay { display in
      display.loop.budget = Self.least
      let painter = Painter()
      let layers = (0..<5).map { _ in Layer(in: display, painter) }
      for layer in layers { layer.setNeedsDisplay() }
      display.waitUntilDisplayed(layers)
      #expect(layers.allSatisfy { $0.contents != nil && !$0.needsDisplay })
      for layer in layers { layer.setNeedsDisplay() }
      display.commit()
      #expect(display.metrics.begun == 10 && display.metrics.waiting == 0)
      #expect(display.settle())
    }
  }

  // L9, D7
  @Test("among carried-over layers, higher priorities and synchronous layers come first")
  func reordered() throws {
    try withDisplay { display in
      display.loop.budget = Self.least
      let (trace, names) = (Trace(), ["a", "b", "c", "d", "e", "f", "g", "h"])
      let painters = names.map { Painter(trace, name: "\($0) ") }
      let layers = painters.map { Layer(in: display, $0) }
      for layer in layers { layer.setNeedsDisplay() }
      display.loop.run(.noWait)
      let begun = display.metrics.begun
      #expect(1...4 ~= begun)
      layers[6].priority = .high
      layers[7].displaysAsynchronously = false
      #expect(beginnings(of: display).first == 2)
      let wills = trace.events.filter { $0.contains("will") }.map { $0.prefix(1) }
      let order = names[..<begun] + ["g", "h"] + names[begun..<6]
      #expect(wills.elementsEqual(order) { $0 == $1 })
    }
  }

  // L9, D2
  @Test("a carried-over layer may be released, suspended or invalidated again")
  func changes() throws {
    try withDisplay { display in
      display.loop.budget = Self.least
      let painter = Painter()
      var layers = (0..<6).map { _ in Layer(in: display, painter) }
      for layer in layers { layer.setNeedsDisplay() }
      display.loop.run(.noWait)
      let begun = display.metrics.begun
      #expect(begun < 4)
      layers.remove(at: 5)
      layers[4].isSuspended = true
      layers[3].setNeedsDisplay()
      #expect(display.settle())
      #expect(display.metrics.begun == 4 && display.metrics.waiting == 0)
      layers[4].isSuspended = false
      #expect(display.settle())
      #expect(layers.allSatisfy { $0.contents != nil && !$0.needsDisplay })
    }
  }

  // L9
  @Test("displays share one budget with queues and transactions, and idle blocks wait for all")
  func shared() throws {
    try withSteppedDisplay { display, stepped in
      let loop = stepped.loop
      loop.budget = EventLoop.Budget(time: .milliseconds(4))
      let trace = Trace()
      let work = { (name: String) in
        trace.record(name)
        stepped.spend(.milliseconds(1))
      }
      let queue = RunLoopQueue<Painter>(on: loop, batchSize: 3) { _, _ in work("queue") }
      let painters = (0..<9).map { _ in Painter() }
      for painter in painters { painter.onWill = { work("display") } }
      let layers = painters.map { Layer(in: display, $0) }
      for (painter, layer) in zip(painters, layers) {
        queue.enqueue(painter)
        layer.setNeedsDisplay()
        display.loop.whenIdle { work("idle") }
        loop.commit(Piece { work("transaction") }, Piece.perform)
      }
      // Three queue elements and one layer spend 4 ms. The transaction performs
      // one piece of work.
      let tick = ["queue", "queue", "queue", "display", "transaction"]
      for _ in 0..<3 {
        stepped.step()
        #expect(trace.take() == tick)
      }
      // Without the queue, the budget allows four layers.
      stepped.step()
      #expect(trace.take() == ["display", "display", "display", "display", "transaction"])
      stepped.runUntilIdle()
      let rest = trace.take()
      #expect(rest.count == 4 * 9 - 3 * 5 - 5)
      #expect(rest.suffix(9).allSatisfy { $0 == "idle" })
      withExtendedLifetime(layers) {}
    }
  }

  // L9
  @Test("displays and queue elements share a count budget")
  func counted() throws {
    try withSteppedDisplay { display, stepped in
      stepped.loop.budget = EventLoop.Budget(count: 3)
      let painter = Painter()
      let queue = RunLoopQueue<Painter>(on: stepped.loop) { _, _ in }
      let layers = (0..<5).map { _ in Layer(in: display, painter) }
      queue.enqueue(painter)
      for layer in layers { layer.setNeedsDisplay() }
      // Completions are posts, so they run in later ticks than the displays.
      stepped.step()
      #expect(display.metrics.begun == 2 && display.metrics.waiting == 3)
      stepped.runUntilIdle()
    }
  }

  // L7, L9
  @Test("commit() leaves the loop without pending work, and a scheduled layer is not a transaction")
  func byHand() throws {
    try withSteppedDisplay { display, stepped in
      let painter = Painter()
      let layer = Layer(in: display, painter)
      layer.displaysAsynchronously = false
      layer.setNeedsDisplay()
      #expect(!stepped.isIdle && stepped.loop.metrics.pendingTransactions == 0)
      display.commit()
      #expect(stepped.isIdle && !layer.needsDisplay)
      layer.setNeedsDisplay()
      #expect(stepped.runUntilIdle() == 1)
      #expect(!layer.needsDisplay && stepped.loop.metrics.performed == 0)
    }
  }
}
