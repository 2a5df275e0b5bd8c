import LoopTransactions
import LoopTransactionsTesting

/// An operation, and the operations that its body adds.
struct ExploredJob: Hashable, Sendable {
  let name: String
  let priority: Int
  var children: [ExploredJob] = []
}

/// A small program: operations, and posts of the loop that add operations.
struct ExploredProgram: Sendable {
  var width = 2
  var jobs: [ExploredJob] = []
  var posts: [[ExploredJob]] = []
  /// Whether each event also records how many operations are queued and running.
  var inspects = false

  /// Creates a program of `count` operations.
  static func random(
    count: Int,
    using generator: inout SeededGenerator
  ) -> ExploredProgram {
    var program = ExploredProgram(width: Int.random(in: 1...3, using: &generator))
    for number in 0..<count {
      // Mostly two priorities, so that equal ones occur too.
      let priority = [0, 0, 100, -100].randomElement(using: &generator) ?? 0
      let job = ExploredJob(name: "\(number)", priority: priority)
      switch Int.random(in: 0..<5, using: &generator) {
      case 0 where !program.jobs.isEmpty:
        program.jobs[program.jobs.count - 1].children.append(job)
      case 1 where !program.jobs.isEmpty: program.jobs[0].children.append(job)
      case 2 where program.posts.isEmpty: program.posts = [[job]]
      default: program.jobs.append(job)
      }
    }
    return program
  }

  /// Runs the program until the loop is idle. Returns the order of its events.
  func run(on stepped: SteppedLoop) -> String {
    let scheduler = SteppedScheduler(on: stepped, workerLimit: width).scheduler
    let trace = stepped.trace
    for job in jobs { add(job, to: scheduler, trace) }
    for jobs in posts {
      stepped.loop.post {
        record("post", scheduler, trace)
        for job in jobs { add(job, to: scheduler, trace) }
      }
    }
    stepped.runUntilIdle()
    return trace.events.joined(separator: " ")
  }

  private func add(_ job: ExploredJob, to scheduler: OperationScheduler, _ trace: Trace) {
    scheduler.add(priority: OperationPriority(job.priority)) { _ in
      record(job.name, scheduler, trace)
      for child in job.children { add(child, to: scheduler, trace) }
    }
  }

  private func record(_ name: String, _ scheduler: OperationScheduler, _ trace: Trace) {
    guard inspects else { return trace.record(name) }
    let metrics = scheduler.metrics
    trace.record("\(name):\(metrics.queued)/\(metrics.running)")
  }

  /// The orders that `forEachOrder` visits, and the number of its runs.
  func explored() throws -> (orders: Set<String>, visited: Int) {
    var orders: Set<String> = []
    let visited = try SteppedLoop.forEachOrder { stepped in orders.insert(run(on: stepped)) }
    return (orders, visited)
  }

  /// The orders of all sequences of steps, and the number of sequences.
  func exhaustive(limit: Int) throws -> (orders: Set<String>, visited: Int) {
    var orders: Set<String> = []
    let visited = try SteppedLoop.forEachSequence(limit: limit) { orders.insert(run(on: $0)) }
    return (orders, visited)
  }

  /// The orders of `seeds` seeds.
  func sampled(seeds: UInt64) throws -> Set<String> {
    var orders: Set<String> = []
    for seed in 0..<seeds {
      let stepped = try SteppedLoop(seed: seed)
      orders.insert(run(on: stepped))
      try stepped.close()
    }
    return orders
  }

  /// The orders that a model of O1, O2 and O3 allows.
  func allowed() -> Set<String> {
    var known: [OrderModel: Set<String>] = [:]
    return OrderModel(self).orders(&known)
  }
}

/// A model of O1, O2 and O3, which shares no code with the scheduler.
struct OrderModel: Hashable {
  private struct Worker: Hashable {
    var job: ExploredJob?
    var isAging = false
  }

  private var workers: [Worker]
  /// Oldest first.
  private var queue: [ExploredJob]
  private var posts: [[ExploredJob]]
  private var pickedBeforeOldest = 0

  init(_ program: ExploredProgram) {
    workers = Array(repeating: Worker(), count: program.width)
    (queue, posts) = (program.jobs, program.posts)
  }

  /// Every order of the remaining events.
  func orders(_ known: inout [OrderModel: Set<String>]) -> Set<String> {
    if let orders = known[self] { return orders }
    var orders: Set<String> = []
    for (event, next) in successors {
      for rest in next.orders(&known) {
        orders.insert([event, rest].filter { !$0.isEmpty }.joined(separator: " "))
      }
    }
    if orders.isEmpty { orders = [""] }
    known[self] = orders
    return orders
  }

  private var successors: [(event: String, next: OrderModel)] {
    var all: [(event: String, next: OrderModel)] = []
    for index in workers.indices {
      if let job = workers[index].job {
        var next = self
        next.workers[index].job = nil
        next.queue += job.children
        all.append((job.name, next))
      } else if !queue.isEmpty {
        all.append(("", picking(index)))
      } else if workers[index].isAging {
        var next = self
        next.workers[index].isAging = false
        all.append(("", next))
      }
    }
    guard !posts.isEmpty else { return all }
    var next = self
    next.posts = []
    next.queue += posts.joined()
    all.append((posts.map { _ in "post" }.joined(separator: " "), next))
    return all
  }

  /// Worker `index` takes the oldest operation if no worker has the aging slot,
  /// it has not just left it, and as many operations as there are other workers
  /// were taken before the oldest one. Otherwise the first of the highest
  /// priority.
  private func picking(_ index: Int) -> OrderModel {
    var next = self
    let wasAging = workers[index].isAging
    next.workers[index].isAging = false
    let isFree = workers.count > 1 && !wasAging && !workers.contains { $0.isAging }
    let isDue = isFree && pickedBeforeOldest >= workers.count - 1
    if isDue || pickedBeforeOldest == 8 * workers.count - 1 {
      next.workers[index] = Worker(job: next.queue.removeFirst(), isAging: true)
      next.pickedBeforeOldest = 0
    } else {
      let highest = queue.map(\.priority).max()
      let place = queue.firstIndex { $0.priority == highest } ?? 0
      next.workers[index].job = next.queue.remove(at: place)
      next.pickedBeforeOldest = place == 0 ? 0 : pickedBeforeOldest + 1
    }
    return next
  }
}
