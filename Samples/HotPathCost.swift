// Walks one hot path many times, for tools that count instructions, allocations
// and system calls. scripts/counts runs it.
//
// A third argument is the number of steps in a batch, for the cost of large bursts.
//
// Arguments: commit.first 1000
// Prints:
//   1000 steps

import CUV
import LoopTransactions

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

final class Target: Sendable {
  static let show = Selector<Target>("show") { $0.touch() }

  @inline(never)
  func touch() {}
}

/// A post that posts its successor.
@MainActor
final class Chain {
  private let loop: EventLoop
  private var left: Int

  init(on loop: EventLoop, count: Int) {
    self.loop = loop
    left = count
  }

  func next() {
    guard left > 0 else { return }
    left -= 1
    loop.post { self.next() }
  }
}

/// An idle block that adds its successor.
@MainActor
final class IdleChain {
  private let loop: EventLoop
  private var left: Int

  init(on loop: EventLoop, count: Int) {
    self.loop = loop
    left = count
  }

  func next() {
    guard left > 0 else { return }
    left -= 1
    loop.whenIdle { self.next() }
  }
}

/// An actor on a loop.
actor Counter {
  private var count = 0
  private nonisolated let port: LoopPort
  nonisolated var unownedExecutor: UnownedSerialExecutor { port.asUnownedSerialExecutor() }

  init(on port: LoopPort) { self.port = port }

  /// Begins a task of the actor, which is one job.
  nonisolated func begin() { assumeIsolated { $0.beginTask() } }

  private func beginTask() { Task { count += 1 } }
}

/// An operation that adds a batch and then itself, so that its worker never sleeps.
final class Feeder: Sendable {
  private let scheduler = OperationScheduler("feeder", workerLimit: 1)
  private let port: LoopPort

  init(_ port: LoopPort) { self.port = port }

  func feed(_ count: Int, _ target: Target) {
    guard count > 0 else { return port.stop() }
    for _ in 0..<min(count, 100) { scheduler.add { _ in target.touch() } }
    scheduler.add { _ in self.feed(count - 100, target) }
  }
}

/// A scheduler whose only worker is blocked, so that counts do not depend on it.
final class BusyWorkers: Sendable {
  let scheduler = OperationScheduler("busy", workerLimit: 1)
  private let ends: (Int32, Int32)

  init() {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { preconditionFailure("no pipe") }
    self.ends = (ends[0], ends[1])
    let end = ends[0]
    scheduler.add { _ in
      var byte: UInt8 = 0
      read(end, &byte, 1)
    }
    while scheduler.metrics.running == 0 { usleep(1000) }
  }

  func release() {
    close(ends.1)
    while scheduler.metrics.running > 0 { usleep(1000) }
    close(ends.0)
  }
}

/// Walks hot paths of one loop. Work is made in batches, each for one tick.
@MainActor
struct HotPaths {
  let loop: EventLoop
  let count: Int
  let batch: Int

  /// Calls `add` for each step of a batch, and makes a tick after the batch.
  private func inBatches(_ add: (Int) -> Void) {
    for _ in 0..<count / batch {
      for index in 0..<batch { add(index) }
      loop.run(.noWait)
    }
  }

  private var targets: [Target] { (0..<batch).map { _ in Target() } }

  func commitFirst() {
    let targets = targets
    inBatches { loop.commit(targets[$0], Target.show) }
  }

  func commitAgain() {
    let target = Target()
    for _ in 0..<count { loop.commit(target, Target.show) }
  }

  func keptFirst() {
    let targets = targets
    let kept = targets.map { Transaction($0, Target.show, on: loop) }
    withExtendedLifetime(targets) { inBatches { kept[$0].commit() } }
  }

  func keptAgain() {
    let target = Target()
    let kept = Transaction(target, Target.show, on: loop)
    withExtendedLifetime(target) { for _ in 0..<count { kept.commit() } }
  }

  func commitByPort() {
    let (port, targets) = (loop.port, targets)
    inBatches { try? port.commit(targets[$0], Target.show) }
  }

  func postClosure() {
    let target = Target()
    inBatches { _ in loop.post { target.touch() } }
  }

  /// Closures with two captures, for which the compiler allocates memory.
  func postAllocating() {
    let (target, other) = (Target(), Target())
    inBatches { _ in
      loop.post {
        target.touch()
        other.touch()
      }
    }
  }

  func postFunction() {
    let port = loop.port
    inBatches { _ in try? port.post({ _ in }, context: nil) }
  }

  /// Closures of another thread, which has ended when the loop runs them.
  func postFromThread() throws {
    let (port, count, target) = (loop.port, count, Target())
    let thread = try LoopThread(name: "producer")
    try thread.port.postAndWait {
      for _ in 0..<count { try? port.post { target.touch() } }
    }
    thread.stop()
    try thread.join()
    loop.run(.noWait)
  }

  /// A post that posts its successor.
  func chain() {
    let chain = Chain(on: loop, count: count)
    chain.next()
    loop.run()
  }

  func queue(_ batchSize: BatchSize) {
    let targets = targets
    let queue = RunLoopQueue<Target>(on: loop, batchSize: batchSize) { target, _ in
      target.touch()
    }
    for _ in 0..<count / batch {
      for target in targets { queue.enqueue(target) }
      while queue.count > 0 { loop.run(.noWait) }
    }
    queue.close()
  }

  /// Ticks of one run, with observers that do nothing.
  func tick(observers: Int) {
    let kept = (0..<observers).map { _ in loop.addObserver(for: .beforeWaiting) { _ in } }
    let left = startTicking(loop.libuvLoop.assumingMemoryBound(to: uv_loop_t.self))
    loop.run()
    left.deallocate()
    withExtendedLifetime(kept) {}
  }

  /// Ticks of libuv alone, to compare with `tick`. With callbacks, this is the
  /// least that a library on libuv can do before and after each poll.
  func libuvTick(callsBack: Bool) {
    let bare = UnsafeMutablePointer<uv_loop_t>.allocate(capacity: 1)
    let prepare = UnsafeMutablePointer<uv_prepare_t>.allocate(capacity: 1)
    let check = UnsafeMutablePointer<uv_check_t>.allocate(capacity: 1)
    uv_loop_init(bare)
    if callsBack {
      uv_prepare_init(bare, prepare)
      uv_check_init(bare, check)
      uv_prepare_start(prepare, doNothing)
      uv_check_start(check, doNothing)
      prepare.withMemoryRebound(to: uv_handle_t.self, capacity: 1) { uv_unref($0) }
      check.withMemoryRebound(to: uv_handle_t.self, capacity: 1) { uv_unref($0) }
    }
    let left = startTicking(bare)
    uv_run(bare, UV_RUN_DEFAULT)
    left.deallocate()
  }

  /// Starts an idle handle on `raw` that closes itself after the last tick.
  private func startTicking(_ raw: UnsafeMutablePointer<uv_loop_t>) -> UnsafeMutablePointer<Int> {
    let idle = UnsafeMutablePointer<uv_idle_t>.allocate(capacity: 1)
    uv_idle_init(raw, idle)
    let left = UnsafeMutablePointer<Int>.allocate(capacity: 1)
    left.initialize(to: count)
    idle.pointee.data = UnsafeMutableRawPointer(left)
    uv_idle_start(idle, countTick)
    return left
  }

  /// Timers that fire again and again, all in each tick.
  func fireTimers() {
    let target = Target()
    let timers = (0..<batch).map { _ in
      loop.addTimer(after: .milliseconds(1), every: .milliseconds(1)) { _ in target.touch() }
    }
    for _ in 0..<count / batch {
      usleep(3000)
      loop.run(.noWait)
    }
    for timer in timers { timer.cancel() }
  }

  /// Pipes that can be read in each tick.
  func descriptorEvents() throws {
    let target = Target()
    var watchers: [DescriptorWatcher] = []
    for _ in 0..<batch {
      var ends: [Int32] = [0, 0]
      guard pipe(&ends) == 0, write(ends[1], "x", 1) == 1 else { preconditionFailure("no pipe") }
      try watchers.append(loop.watch(ends[0], for: .readable) { _ in target.touch() })
    }
    for _ in 0..<count / batch { loop.run(.noWait) }
    for watcher in watchers { watcher.cancel() }
  }

  /// Operations that a worker adds and runs, while the loop waits.
  func operations() {
    loop.waitsForPosts = true
    Feeder(loop.port).feed(count, Target())
    loop.run()
  }

  /// Transactions without operations, which only complete.
  func completions() {
    let target = Target()
    inBatches { _ in
      let transaction = AsyncTransaction(on: loop)
      transaction.whenComplete { _ in target.touch() }
      transaction.commit()
    }
  }

  /// Operations of transactions, which the loop runs while it waits.
  func transactions() {
    let target = Target()
    let workers = BusyWorkers()
    for _ in 0..<count / batch {
      let transaction = AsyncTransaction(on: loop, scheduler: workers.scheduler)
      for _ in 0..<batch {
        transaction.add { _ in
          target.touch()
        } completion: { _ in
          target.touch()
        }
      }
      transaction.waitUntilComplete()
    }
    workers.release()
  }

  /// Calls of `apply`, 1000 at a time, that no worker joins.
  func apply() {
    let target = Target()
    let workers = BusyWorkers()
    for _ in 0..<count / 1000 { workers.scheduler.apply(1000) { _ in target.touch() } }
    workers.release()
  }

  /// Tasks of an actor on the loop. Each is one job.
  func jobs() {
    let counter = Counter(on: loop.port)
    inBatches { _ in counter.begin() }
  }

  /// Idle blocks, each of which adds its successor.
  func idleBlocks() {
    let chain = IdleChain(on: loop, count: count)
    chain.next()
    loop.run()
  }

  /// Removes observers that were all added before.
  func cancelObservers() {
    let kept = (0..<count).map { _ in loop.addObserver(for: .beforeWaiting) { _ in } }
    for observer in kept { observer.cancel() }
  }

  /// Ticks of an adopted loop that its owner runs.
  func adoptedTick() throws {
    let owned = UnsafeMutablePointer<uv_loop_t>.allocate(capacity: 1)
    uv_loop_init(owned)
    let adopted = try EventLoop(adopting: owned)
    let left = startTicking(owned)
    uv_run(owned, UV_RUN_DEFAULT)
    left.deallocate()
    try adopted.close()
    uv_run(owned, UV_RUN_DEFAULT)
    withExtendedLifetime(owned) {}
  }

  func armTimer() throws {
    let deadline = loop.now.advanced(by: .seconds(60))
    for _ in 0..<count { try loop.addPreciseTimer(at: deadline) { _ in }.cancel() }
  }
}

func doNothing(_ prepare: UnsafeMutablePointer<uv_prepare_t>?) {}
func doNothing(_ check: UnsafeMutablePointer<uv_check_t>?) {}

/// Closes the idle handle that keeps the loop awake after the last tick.
func countTick(_ idle: UnsafeMutablePointer<uv_idle_t>?) {
  guard let idle, let left = idle.pointee.data?.assumingMemoryBound(to: Int.self) else { return }
  left.pointee -= 1
  guard left.pointee <= 0 else { return }
  idle.withMemoryRebound(to: uv_handle_t.self, capacity: 1) { handle in
    uv_close(handle) { UnsafeMutableRawPointer($0)?.deallocate() }
  }
}

let arguments = Array(CommandLine.arguments.dropFirst()) + ["commit.first", "1000"]
let loop = try EventLoop()
// Valgrind slows the program down, so a budget of time would divide the work.
loop.budget = .unlimited
let paths = HotPaths(
  loop: loop,
  count: Int(arguments[1]) ?? 1000,
  batch: arguments.count > 4 ? Int(arguments[2]) ?? 100 : 100
)
// After a plus sign: how the loop is observed.
let words = arguments[0].split(separator: "+")
var reported = 0
if words.last == "report" { loop.tickHandler = { reported += $0.count(of: .post) } }
if words.last == "latencies" { loop.recordsLatencies = true }
// Its thread looks four times in a threshold: never, here.
if words.last == "watchdog" { loop.watchdog = try LoopWatchdog(threshold: .seconds(3600)) { _ in } }
let trace = words.last == "trace" ? try LoopTrace() : nil
switch words[0] {
case "commit.first": paths.commitFirst()
case "commit.again": paths.commitAgain()
case "commit.kept.first": paths.keptFirst()
case "commit.kept.again": paths.keptAgain()
case "commit.port": paths.commitByPort()
case "post.closure": paths.postClosure()
case "post.allocating": paths.postAllocating()
case "post.function": paths.postFunction()
case "post.thread": try paths.postFromThread()
case "post.chain": paths.chain()
case "queue.batched": paths.queue(16)
case "queue.whole": paths.queue(.unlimited)
case "tick": paths.tick(observers: 0)
case "tick.libuv": paths.libuvTick(callsBack: false)
case "tick.floor": paths.libuvTick(callsBack: true)
case "tick.observers": paths.tick(observers: 10)
case "tick.adopted": try paths.adoptedTick()
case "observer.cancel": paths.cancelObservers()
case "timer.arm": try paths.armTimer()
case "timer.fire": paths.fireTimers()
case "event": try paths.descriptorEvents()
case "operation": paths.operations()
case "completion": paths.completions()
case "transaction": paths.transactions()
case "apply": paths.apply()
case "job": paths.jobs()
case "idle": paths.idleBlocks()
default: preconditionFailure("no such path: \(arguments[0])")
}
trace?.stop()
try loop.close()
print(paths.count, "steps")
