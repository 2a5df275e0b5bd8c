import LoopTransactions
import TestSupport
import Testing

/// One thing that happens to a scheduler.
private enum Step: Equatable {
  case add(Int)
  case cancel(Int)
  case move(Int)
  /// A worker that is awake asks what comes next.
  case next(Int)
  /// A worker that sleeps notices its wake.
  case wakeUp(Int)
  /// A worker that sleeps has waited for too long.
  case timeOut(Int)
  /// A worker that sleeps and watches has a look, when others are held up.
  case watch(Int)
  case yield(Int)
  case interactive(Bool)
  case close
}

/// A scheduler whose threads are numbers: what its state says is done to them.
private struct ModelScheduler: ~Copyable {
  enum Worker: Equatable {
    case awake
    case asleep
    case gone
  }

  var state: SchedulerState
  var workers: [Worker] = []
  var seats: [WorkerSeat] = []
  var wakes = 0
  var handles: [OperationHandle?] = []
  var outcomes: [Int: Int] = [:]
  var fault: String?

  /// How many a worker takes at once.
  let batchLimit: Int

  init(limit: Int, batchLimit: Int) {
    state = SchedulerState(limit: limit)
    self.batchLimit = batchLimit
  }

  mutating func perform(_ action: SchedulerState.WorkerAction) {
    switch action {
    case .none: break
    case .wake: wakes += 1
    case .end(let count): wakes += count
    case .start:
      workers.append(.awake)
      seats.append(WorkerSeat())
      seats.last?.batchLimit = batchLimit
    }
  }

  /// Does `step`, if it can be done now.
  mutating func take(_ step: Step) -> Bool {
    switch step {
    case .add(let level):
      let number = handles.count
      guard let (handle, action) = state.add(OperationNode.Content.body { _ in }, level: level)
      else {
        return state.isClosed
      }
      handles.append(handle)
      outcomes[number] = 0
      perform(action)
    case .cancel(let number):
      guard number < handles.count, let handle = handles[number] else { return false }
      if state.cancel(handle) != nil { end(number) }
    case .move(let number):
      guard number < handles.count, let handle = handles[number] else { return false }
      _ = state.move(handle, to: 200)
    case .next(let worker):
      guard worker < workers.count, workers[worker] == .awake else { return false }
      finish(worker)
      let (step, action) = state.next(seats[worker], now: 0)
      enter(worker, step)
      perform(action)
    case .yield(let worker):
      guard worker < workers.count, workers[worker] == .awake else { return false }
      finish(worker)
      let (step, action) = state.yield(seats[worker], now: 0)
      enter(worker, step)
      perform(action)
    case .wakeUp(let worker):
      guard worker < workers.count, workers[worker] == .asleep, wakes > 0 else { return false }
      wakes -= 1
      if state.stays(seats[worker]) {
        workers[worker] = .awake
        seats[worker].isSearching = true
      } else {
        workers[worker] = .gone
      }
    case .timeOut(let worker):
      guard worker < workers.count, workers[worker] == .asleep, !seats[worker].isWatching else {
        return false
      }
      if state.mayEnd() { workers[worker] = .gone }
    case .watch(let worker):
      guard worker < workers.count, workers[worker] == .asleep, seats[worker].isWatching else {
        return false
      }
      perform(state.watch(seats[worker], now: .max / 2))
    case .interactive(let yes): perform(state.setInteractive(yes))
    case .close:
      guard !state.isClosed else { return false }
      perform(state.close())
    }
    check()
    return true
  }

  private mutating func finish(_ worker: Int) {
    var ended: [Int] = []
    _ = seats[worker].claimEach { handle in
      if let number = handles.firstIndex(where: { $0?.node == handle.node && $0?.isCurrent == true }
      ) {
        ended.append(number)
      }
    }
    for number in ended { end(number) }
  }

  private mutating func end(_ number: Int) {
    outcomes[number, default: 0] += 1
    handles[number] = nil
  }

  private mutating func enter(_ worker: Int, _ step: SchedulerState.Step) {
    switch step {
    case .run, .search: break
    case .sleep: workers[worker] = .asleep
    case .end: workers[worker] = .gone
    }
  }

  private mutating func check() {
    let awake = workers.count { $0 == .awake }
    // Those that were woken count, until they notice.
    let asleep = workers.count { $0 == .asleep }
    if awake > state.limit { fault = "\(awake) awake of \(state.limit)" }
    if state.workers - state.sleeping > state.limit { fault = "counts more than the limit" }
    if state.workers + state.ending != awake + asleep { fault = "counts \(state.workers) workers" }
    // Nothing waits where everybody sleeps and nobody was woken.
    if state.backlog.count > 0, awake == 0, wakes == 0 { fault = "work waits, and nobody comes" }
    // What waits in a batch has somebody who comes if its worker is held up.
    let hasBatch = zip(workers, seats).contains { $0 == .awake && $1.batch.count > 1 }
    let isFull = state.workers - state.sleeping >= state.width
    if hasBatch, !isFull, !state.isWatched, state.searching == 0 {
      fault = "nobody watches a batch"
    }
    if outcomes.values.contains(where: { $0 > 1 }) { fault = "an operation ended twice" }
  }

  /// Lets everything that can happen by itself happen; whether every operation ended.
  mutating func settle() -> Bool {
    for _ in 0..<200 {
      var isDone = true
      for worker in workers.indices {
        if take(.wakeUp(worker)) { isDone = false }
        if worker < workers.count, workers[worker] == .awake {
          _ = take(.next(worker))
          isDone = false
        }
      }
      if isDone { break }
    }
    return outcomes.values.allSatisfy { $0 == 1 } && state.running == 0
  }
}

@Suite("SchedulerState")
struct SchedulerStateTests {
  private static let steps: [Step] =
    [.add(0), .add(1), .cancel(0), .cancel(1), .move(0)]
    + (0..<2).flatMap { [.next($0), .wakeUp($0), .timeOut($0), .yield($0), .watch($0)] }
    + [.interactive(true), .interactive(false), .close]

  // O1, O4, O5: three actors, those who add, a first and a second worker.
  @Test(
    "whatever the order: each ends once, never too many are awake, none is forgotten",
    arguments: [1, 2, 3],
    [1, 2]
  )
  func everyOrder(limit: Int, batchLimit: Int) {
    var orders = 0
    for opening in Self.openings {
      let depth = opening.count + (Interposed.isSanitized ? 3 : 4)
      explore(opening, limit: limit, batchLimit: batchLimit, depth: depth, &orders)
    }
    #expect(orders > (Interposed.isSanitized ? 3000 : 10_000))
  }

  /// From nothing; from one and two workers at work; from one that searches, that
  /// sleeps, that was woken; from two that sleep.
  private static let openings: [[Step]] = [
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
    _ prefix: [Step],
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
        #expect(isSettled && model.fault == nil, "\(model.fault ?? "unended"), after \(order)")
      }
    }
  }

  @Test("whoever searches is the only one to be counted on: what is added wakes nobody")
  func oneSearches() throws {
    var state = SchedulerState(limit: 1)
    let seat = WorkerSeat()
    let actions = [add(&state), add(&state)]
    #expect(actions == [.start, SchedulerState.WorkerAction.none])
    var steps = (0..<3).map { _ in state.next(seat, now: 0).step }
    #expect(steps == [.run, .run, .search])
    let third = add(&state)
    #expect(third == SchedulerState.WorkerAction.none)
    steps = (0..<3).map { _ in state.next(seat, now: 0).step }
    #expect(steps == [.run, .search, .sleep])
    let fourth = add(&state)
    #expect(fourth == .wake)
  }

  // O4
  @Test("interactive, one worker fewer takes anything, from its next operation on")
  func interactive() throws {
    var state = SchedulerState(limit: 2)
    for _ in 0..<9 { _ = add(&state) }
    let first = WorkerSeat()
    let second = WorkerSeat()
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
    "with one worker, every eighth is the oldest, also where it takes many",
    arguments: [1, 32]
  )
  func oldestAmongMany(batchLimit: Int) throws {
    var state = SchedulerState(limit: 1)
    let added = state.add(OperationNode.Content.body { _ in }, level: 0)
    let oldest = try #require(added?.handle)
    for _ in 0..<20 { _ = add(&state, level: 200) }
    let seat = WorkerSeat()
    seat.batchLimit = batchLimit
    var taken: [OperationNode.Pointer] = []
    while !taken.contains(oldest.node), taken.count < 21 {
      _ = state.next(seat, now: 0)
      taken += seat.batch.map(\.node)
    }
    #expect(taken.count == SchedulerState.laneInterval)
  }

  // O3
  @Test("while the lane is taken for long, the oldest is taken all the same")
  func laneHeldUp() throws {
    var state = SchedulerState(limit: 2)
    let seats = [WorkerSeat(), WorkerSeat()]
    _ = state.add(OperationNode.Content.body { _ in }, level: 0)
    // Started, and at the oldest for ever.
    _ = state.next(seats[0], now: 0)
    let added = state.add(OperationNode.Content.body { _ in }, level: 0)
    let oldest = try #require(added?.handle)
    var turns = 0
    repeat {
      turns += 1
      _ = add(&state, level: 200)
      _ = state.next(seats[1], now: 0)
    } while seats[1].batch.first?.node != oldest.node && turns < 100
    #expect(turns == 2 * SchedulerState.laneInterval)
  }

  // O3
  @Test("with two workers, one is at the oldest at least every other time")
  func laneAlternates() throws {
    var state = SchedulerState(limit: 2)
    let added = (0..<4).map { _ in state.add(OperationNode.Content.body { _ in }, level: 0)?.handle
    }
    let seats = [WorkerSeat(), WorkerSeat()]
    var taken: [OperationNode.Pointer] = []
    for turn in 0..<16 {
      _ = add(&state, level: 200)
      _ = state.next(seats[turn % 2], now: 0)
      taken.append(contentsOf: seats[turn % 2].batch.map(\.node))
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
