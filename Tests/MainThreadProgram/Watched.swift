import CUV
import Dispatch
import LoopTransactions
import TestSupport

#if canImport(Glibc)
  import Glibc
#endif

/// Computes in a main-actor task, and then in a block of the main queue, until
/// the loop's watchdog reports it. Prints the reported work, and the work of
/// the tick.
@MainActor
func watched() throws {
  let reports = Locked<[String]>([])
  try EventLoop.runMain { loop in
    try watch(loop, reports)
    let port = loop.port
    Task { @MainActor in
      compute(until: 1, reports)
      DispatchQueue.main.async {
        compute(until: 2, reports)
        port.stop()
      }
    }
  }
  for report in reports.withLock({ $0 }) { print(report) }
}

/// Does the same with a task in the turns of a host.
@MainActor
func watchedInTurns() throws {
  let reports = Locked<[String]>([])
  let loop = try EventLoop()
  _ = try MainQueueBridge(on: loop)
  let embedding = Embedding(loop)
  try watch(loop, reports)
  var hasComputed = false
  Task { @MainActor in
    compute(until: 1, reports)
    hasComputed = true
  }
  while !hasComputed { embedding.turn() }
  try loop.close()
  for report in reports.withLock({ $0 }) { print(report) }
}

private func watch(_ loop: EventLoop, _ reports: Locked<[String]>) throws {
  loop.watchdog = try LoopWatchdog(threshold: .milliseconds(25)) { hold in
    // Another tick is as long if the thread loses its processor.
    guard !hold.isOver, hold.work.kind == .job else { return }
    reports.withLock { $0.append("held by \(hold.work), one piece \(hold.isOnePiece)") }
  }
  var ticks: Set<String> = []
  loop.tickHandler = { tick in
    guard tick.count(of: .job) > 0, let work = tick.longest?.work, work.kind == .job else { return }
    let text = "tick of \(work), \(tick.count(of: .job)) job"
    if ticks.insert(text).inserted { print(text) }
  }
}

/// Computes until there are `count` reports. Without a report, the program is
/// ended by `Process.endInTime()`.
private func compute(until count: Int, _ reports: Locked<[String]>) {
  while reports.withLock({ $0.count }) < count {}
}

/// Creates a task under a run without a bridge, which returns at once.
@MainActor
func unserved() throws {
  Task { print("ran") }
  let loop = try EventLoop()
  print("\(loop.run())")
  try loop.close()
}

/// Creates a task in a run that lasts longer than the time until the report.
@MainActor
func unservedForLong() throws {
  let loop = try EventLoop()
  loop.addTimer(after: .milliseconds(1)) { _ in Task { print("ran") } }
  loop.addTimer(after: .seconds(2)) { _ in Task { print("ran") } }
  loop.run()
  print("before the exit")
  System.logToStandardError("end of the run")
  try loop.close()
}

/// Runs a loop while the process has no free descriptor for the main queue.
@MainActor
func unservedWithoutDescriptors() throws {
  let loop = try EventLoop()
  Process.limitDescriptors(to: 0)
  print("\(loop.run())")
  do { _ = try MainQueueBridge(on: loop) } catch { print("\(error)") }
  try loop.close()
}

/// Creates a task in one of many ticks that the program makes itself.
@MainActor
func unservedInTicks() throws {
  let loop = try EventLoop()
  let end = LoopClock.now.advanced(by: .seconds(2))
  loop.addTimer(after: .milliseconds(1)) { _ in Task { print("ran") } }
  while LoopClock.now < end {
    loop.addTimer(after: .milliseconds(100)) { _ in }
    loop.run(.once)
  }
  print("before the exit")
  System.logToStandardError("end of the run")
  try loop.close()
}

/// Creates a task between two turns of a host without a bridge, and makes the turns
/// that are due for two seconds.
@MainActor
func unservedInTurns() throws {
  let loop = try EventLoop()
  let embedding = Embedding(loop)
  var isOver = false
  loop.addTimer(after: .seconds(2)) { _ in isOver = true }
  embedding.turn()
  Task { print("ran") }
  while !isOver {
    _ = waitFor(embedding.pollDescriptor, embedding.nextTimeout)
    embedding.turn()
  }
  print("before the exit")
  System.logToStandardError("end of the run")
  try loop.close()
}

/// Creates a task after the last turn of a host without a bridge.
@MainActor
func unservedAfterTurns() throws {
  let loop = try EventLoop()
  let embedding = Embedding(loop)
  embedding.turn()
  Task { print("ran") }
  embedding.cancel()
  print("cancelled")
  try loop.close()
}

/// Makes turns in a host that serves the main queue, and exits while a block waits.
@MainActor
func servedByHost() throws {
  let loop = try EventLoop()
  let embedding = Embedding(loop, hostWake: HostWake { false }, servesMainQueue: true)
  DispatchQueue.main.async {}
  for _ in 0..<3 { embedding.turn() }
  embedding.cancel()
  try loop.close()
}

/// Makes turns in a host while a block waits. Then serves the main queue as a run
/// loop does, and exits in the block.
@MainActor
func servedAfterTurns() throws {
  let loop = try EventLoop()
  let embedding = Embedding(loop)
  DispatchQueue.main.async { exit(0) }
  for _ in 0..<3 { embedding.turn() }
  _ = lt_counter_read(lt_main_queue_descriptor())
  lt_main_queue_drain()
}

/// Serves the main queue in a callback, as a nested run loop does, and by a
/// later `runMain`.
@MainActor
func servedLater() throws {
  for isNested in [true, false] {
    let loop = try EventLoop()
    Task { print("ran, nested \(isNested)") }
    loop.addTimer(after: .milliseconds(1)) { _ in if isNested { lt_main_queue_drain() } }
    loop.run()
    try loop.close()
  }
  try EventLoop.runMain { loop in
    let port = loop.port
    Task { port.stop() }
  }
}

/// Exits in a transaction of `runMain`'s loop while another one is pending.
@MainActor
func exitInRunMain() throws {
  try EventLoop.runMain { loop in
    loop.commit { exit(3) }
    loop.commit { print("performed") }
  }
}
