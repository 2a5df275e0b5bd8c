import LoopTransactions
import TestSupport
import Testing

@Suite("SchedulerState")
struct SchedulerStateTests {
  private static let steps: [SchedulerStep] =
    [.add(0), .add(1), .cancel(0), .cancel(1), .move(0)]
    + (0..<2).flatMap { [.next($0), .wakeUp($0), .timeOut($0), .yield($0), .monitor($0)] }
    + [.workerStartFailed(0), .workerStartFailed(1), .retry, .setLimit(1), .setLimit(3)]
    + [.interactive(true), .interactive(false), .close]

  // O1, O4, O5. Two workers and the threads that use the scheduler take steps.
  @Test(
    "in every order, each operation ends once, the limit holds, and none is lost",
    arguments: [1, 2, 3],
    [1, 2]
  )
  func everyOrder(limit: Int, batchLimit: Int) {
    var orders = 0
    for opening in Self.openings {
      let depth = opening.count + Self.depth
      explore(opening, limit: limit, batchLimit: batchLimit, depth: depth, &orders)
    }
    #expect(orders > 500)
  }

  // Slow builds explore fewer steps.
  private static var depth: Int {
    Interposed.amount(4, debug: 3, sanitized: 2)
  }

  /// The states to start from: no worker; one busy worker; two busy workers;
  /// one worker that searches, sleeps or was woken; and two sleeping workers.
  static let openings: [[SchedulerStep]] = [
    [],
    [.add(0), .next(0)],
    [.add(0), .add(1), .add(1), .next(0), .next(1)],
    [.add(0), .next(0), .next(0)],
    [.add(0), .next(0), .next(0), .next(0)],
    [.add(0), .next(0), .next(0), .next(0), .add(1)],
    [.add(0), .add(1), .add(1), .next(0), .next(1), .next(0), .next(1), .next(0), .next(1)],
    [.add(0), .next(0), .add(1), .add(1), .next(1), .next(0), .next(1)],
  ]

  private func explore(
    _ prefix: [SchedulerStep],
    limit: Int,
    batchLimit: Int,
    depth: Int,
    _ orders: inout Int
  ) {
    for step in Self.steps {
      var model = ModelScheduler(limit: limit, batchLimit: batchLimit)
      for earlier in prefix { _ = model.take(earlier) }
      guard model.take(step) else { continue }
      orders += 1
      let order = prefix + [step]
      if let fault = model.fault {
        Issue.record("\(fault), after \(order)")
        continue
      }
      if order.count < depth {
        explore(order, limit: limit, batchLimit: batchLimit, depth: depth, &orders)
      } else {
        let isSettled = model.settle()
        #expect(isSettled && model.fault == nil, "\(model.fault ?? "not settled"), after \(order)")
      }
    }
  }

  @Test("while a worker searches, adding an operation wakes no other")  // O1
  func oneSearches() throws {
    var state = SchedulerState(limit: 1)
    let worker = Worker()
    let actions = [add(&state), add(&state)]
    #expect(actions == [.start, SchedulerState.WorkerAction.none])
    var steps = (0..<3).map { _ in state.next(worker, now: 0).step }
    #expect(steps == [.run, .run, .search])
    let third = add(&state)
    #expect(third == SchedulerState.WorkerAction.none)
    steps = (0..<3).map { _ in state.next(worker, now: 0).step }
    #expect(steps == [.run, .search, .sleep])
    let fourth = add(&state)
    #expect(fourth == .wake)
  }

  @Test("a worker that yields with no work left in a closed scheduler ends")  // O1
  func yieldsWhenClosed() {
    var state = SchedulerState(limit: 1)
    _ = add(&state)
    let worker = Worker()
    _ = state.next(worker, now: 0)
    let closed = state.close()
    _ = worker.claimEach { _ in }
    let (step, action) = state.yield(worker, now: 0)
    #expect(closed == .none && step == .end && action == .none)
  }

  // O4
  @Test("in interactive mode, one worker takes no more operations after its current one")
  func interactive() throws {
    var state = SchedulerState(limit: 2)
    for _ in 0..<9 { _ = add(&state) }
    let first = Worker()
    let second = Worker()
    let began = [state.next(first, now: 0), state.next(second, now: 0)]
    #expect(began.map(\.step) == [.run, .run] && began.map(\.action) == [.start, .none])
    let on = state.setInteractive(true)
    let during = [state.next(second, now: 0), state.next(first, now: 0)]
    #expect(on == .none)
    #expect(during.map(\.step) == [.sleep, .run] && during.map(\.action) == [.none, .none])
    let off = state.setInteractive(false)
    #expect(off == .wake)
  }

  // O3
  @Test(
    "with one worker, every eighth operation is the oldest, also in batches",
    arguments: [1, 32]
  )
  func oldestAmongMany(batchLimit: Int) throws {
    var state = SchedulerState(limit: 1)
    let added = state.add(OperationNode.Content.body { _ in }, level: 0)
    let oldest = try #require(added?.handle)
    for _ in 0..<20 { _ = add(&state, level: 200) }
    let worker = Worker()
    worker.batchLimit = batchLimit
    var taken: [OperationNode.Pointer] = []
    while !taken.contains(oldest.node), taken.count < 21 {
      _ = state.next(worker, now: 0)
      taken += worker.batch.map(\.node)
    }
    // A literal, so that the test fails if the interval changes.
    #expect(taken.count == 8)
  }

  // O3
  @Test("the oldest operation is taken even if another operation occupies the aging slot")
  func laneHeldUp() throws {
    var state = SchedulerState(limit: 2)
    let workers = [Worker(), Worker()]
    _ = state.add(OperationNode.Content.body { _ in }, level: 0)
    _ = add(&state, level: 200)
    _ = state.next(workers[1], now: 0)
    // The first worker takes the oldest operation, which never ends.
    _ = state.next(workers[0], now: 0)
    #expect(state.backlog.count == 0)
    let added = state.add(OperationNode.Content.body { _ in }, level: 0)
    let oldest = try #require(added?.handle)
    var turns = 0
    repeat {
      turns += 1
      _ = add(&state, level: 200)
      _ = state.next(workers[1], now: 0)
    } while workers[1].batch.first?.node != oldest.node && turns < 100
    // With two workers, the aging slot takes the oldest operation at every 16th
    // pick, 8 per worker.
    #expect(turns == 16)
  }

  // O2, O3
  @Test(
    "an urgent operation among older ones of one level is taken next, by any worker",
    arguments: [1, 2, 4, 8]
  )
  func urgentIsNext(width: Int) throws {
    for asking in 0..<2 * width {
      var state = SchedulerState(limit: width)
      for _ in 0..<100 { _ = add(&state) }
      let workers = (0..<width).map { _ in Worker() }
      for turn in 0..<asking { _ = state.next(workers[turn % width], now: 0) }
      let urgent = try #require(
        state.add(OperationNode.Content.body { _ in }, level: 200)?.handle
      )
      _ = state.next(workers[asking % width], now: 0)
      #expect(workers[asking % width].batch.first?.node == urgent.node, "pick \(asking)")
    }
  }

  // O3
  @Test("with several workers, the slot takes the oldest operation after one of each other worker")
  func slotTakesTheOldest() throws {
    for width in 2...4 {
      var state = SchedulerState(limit: width)
      let oldest = try #require(
        state.add(OperationNode.Content.body { _ in }, level: 0)?.handle
      )
      let workers = (0..<width).map { _ in Worker() }
      for _ in 0..<width { _ = add(&state, level: 200) }
      for worker in workers { _ = state.next(worker, now: 0) }
      #expect(workers.map { $0.batch.first?.node == oldest.node }.firstIndex(of: true) == width - 1)
    }
  }

  // O2, O3
  @Test("an urgent operation starts before the operations that a stalled worker had taken")
  func urgentBeforeReclaimed() throws {
    var state = SchedulerState(limit: 4)
    for _ in 0..<40 { _ = add(&state) }
    let workers = (0..<4).map { _ in Worker() }
    workers[0].batchLimit = 32
    _ = state.next(workers[0], now: 0)
    _ = workers[0].batch[0].claim()
    for worker in workers[1...] { _ = state.next(worker, now: 1 << 30) }
    let urgent = try #require(
      state.add(OperationNode.Content.body { _ in }, level: 200)?.handle
    )
    _ = state.next(workers[1], now: 1 << 30)
    #expect(workers[1].batch.first?.node == urgent.node)
  }

  // O2
  @Test("the operations that a stalled worker had taken start before later ones of their level")
  func reclaimedStayInOrder() throws {
    var state = SchedulerState(limit: 2)
    let (stalled, worker) = (Worker(), Worker())
    var added: [OperationNode.Pointer] = []
    for _ in 0..<8 {
      let handle = state.add(OperationNode.Content.body { _ in }, level: 100)?.handle
      added.append(try #require(handle).node)
    }
    stalled.batchLimit = 4
    _ = state.next(stalled, now: 0)
    _ = stalled.batch[0].claim()
    var taken: [OperationNode.Pointer] = []
    while state.backlog.count > 0 || taken.isEmpty {
      _ = state.next(worker, now: 1 << 30)
      taken += worker.batch.map(\.node)
      _ = worker.claimEach { _ in }
    }
    #expect(taken == Array(added.dropFirst()))
  }

  // O3
  @Test("a reclaimed operation is taken under endless urgent ones")
  func reclaimedIsTaken() throws {
    var state = SchedulerState(limit: 2)
    let (stalled, worker) = (Worker(), Worker())
    _ = add(&state)
    let low = try #require(state.add(OperationNode.Content.body { _ in }, level: 0)?.handle)
    stalled.batchLimit = 2
    _ = state.next(stalled, now: 0)
    _ = stalled.batch[0].claim()
    var turns = 0
    repeat {
      while state.backlog.count < 4 { _ = add(&state, level: 200) }
      _ = state.next(worker, now: 1 << 30)
      turns += 1
    } while turns < 100 && worker.batch.first?.node != low.node
    #expect(turns < 20)
  }

  // O3
  @Test(
    "when the oldest operation is cancelled or run by a waiting thread, it no longer counts",
    arguments: [true, false]
  )
  func oldestLeaves(isCancelled: Bool) throws {
    var state = SchedulerState(limit: 2)
    let low = try #require(state.add(OperationNode.Content.body { _ in }, level: 0)?.handle)
    _ = add(&state, level: 200)
    let workers = [Worker(), Worker()]
    _ = state.next(workers[0], now: 0)
    if isCancelled { _ = state.cancel(low) } else { _ = state.claim(low) }
    for _ in 0..<2 { _ = add(&state) }
    let urgent = try #require(
      state.add(OperationNode.Content.body { _ in }, level: 200)?.handle
    )
    _ = state.next(workers[1], now: 0)
    #expect(workers[1].batch.first?.node == urgent.node)
  }

  // O3
  @Test("reclaimed operations take at most every other turn of the aging slot")
  func laneOfTheOldest() throws {
    var state = SchedulerState(limit: 2)
    let workers = [Worker(), Worker()]
    _ = state.add(OperationNode.Content.body { _ in }, level: 255)
    let added = state.add(OperationNode.Content.body { _ in }, level: 0)
    let oldest = try #require(added?.handle)
    var now: UInt64 = 0
    for turn in 0..<200 where !workers.contains(where: { $0.batch.first?.node == oldest.node }) {
      let worker = workers[turn % 2]
      while state.backlog.count < 4 { _ = add(&state, level: 200) }
      worker.batchLimit = 2
      // The worker begins the first operation of its batch and is blocked by
      // it.
      now += 1 << 30
      if let first = worker.batch.first { _ = first.claim() }
      _ = state.next(worker, now: now)
      #expect(turn < 100, "the oldest still waits")
    }
    #expect(oldest.isCurrent)
  }

  @Test("if a worker cannot start, a sleeping worker is woken instead")  // O1
  func sleeperComesInstead() {
    var state = SchedulerState(limit: 2)
    let worker = Worker()
    _ = add(&state)
    _ = state.next(worker, now: 0)
    let start = add(&state)
    _ = worker.claimEach { _ in }
    let retired = state.setInteractive(true)
    let (step, _) = state.next(worker, now: 0)
    let (action, shouldReport) = state.workerStartFailed()
    #expect(start == .start && retired == .none && step == .sleep)
    #expect(action == .wake && !shouldReport && !state.isRetrying)
  }

  // O1
  @Test("refused starts are retried after delays that double up to 0.1 s, until one succeeds")
  func retryDelays() {
    var state = SchedulerState(limit: 1)
    _ = add(&state)
    var delays: [UInt64] = []
    var news: [Bool] = []
    for _ in 0..<13 {
      let (action, shouldReport) = state.workerStartFailed()
      if case .retry(let delay) = action { delays.append(delay / 100_000) }
      news.append(shouldReport)
      let retried = state.retry()
      #expect(retried == .start)
    }
    #expect(delays == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 1024, 1024])
    #expect(news == [true] + Array(repeating: false, count: 12))
    state.didStart()
    let (action, shouldReport) = state.workerStartFailed()
    #expect(action == .retry(after: 100_000) && shouldReport)
  }

  // O1
  @Test("until a refused start is retried, adding operations starts no other worker")
  func noStartBeforeRetry() {
    var state = SchedulerState(limit: 2)
    _ = add(&state)
    let refused = state.workerStartFailed().action
    let added = add(&state)
    let raised = state.setLimit(4)
    let closed = state.close()
    #expect(refused == .retry(after: SchedulerState.firstRetryDelay) && state.isRetrying)
    #expect(added == .awaitRetry && raised == .awaitRetry && closed == .awaitRetry)
    // The added operations still run.
    let retried = state.retry()
    #expect(retried == .start && !state.isRetrying)
  }

  // O1
  @Test("a refused start is not retried if no work is left")
  func noRetryForNothing() throws {
    var state = SchedulerState(limit: 1)
    let added = state.add(OperationNode.Content.body { _ in }, level: 0)
    let handle = try #require(added?.handle)
    _ = state.cancel(handle)
    let (action, shouldReport) = state.workerStartFailed()
    #expect(action == .none && !shouldReport && !state.isRetrying)
    let next = add(&state)
    #expect(next == .start)
  }

  // O3
  @Test("with two workers, one takes the oldest operation at least every other time")
  func laneAlternates() throws {
    var state = SchedulerState(limit: 2)
    let added = (0..<4).map { _ in state.add(OperationNode.Content.body { _ in }, level: 0)?.handle
    }
    let workers = [Worker(), Worker()]
    var taken: [OperationNode.Pointer] = []
    for turn in 0..<16 {
      _ = add(&state, level: 200)
      _ = state.next(workers[turn % 2], now: 0)
      taken.append(contentsOf: workers[turn % 2].batch.map(\.node))
    }
    for handle in added { #expect(taken.contains(try #require(handle).node)) }
  }

  @discardableResult
  private func add(
    _ state: inout SchedulerState,
    level: Int = 128
  ) -> SchedulerState.WorkerAction? {
    state.add(OperationNode.Content.body { _ in }, level: level)?.action
  }
}
