import CUV
import Dispatch
import LoopTransactions
import TestSupport

private struct Wrong: Error {}

/// Makes 100,000 hops to the main actor and back. Prints how many ran on the
/// first thread, and whether they took few ticks.
@MainActor
func hops() throws {
  let (main, count) = (System.thread, 100_000)
  try EventLoop.runMain { loop in
    let (port, onMain) = (loop.port, Tally())
    Task.detached {
      for _ in 0..<count {
        await MainActor.run { if System.thread == main { onMain.increment() } }
      }
      port.stop()
    }
    loop.addObserver(for: .exit) { [unowned loop] _ in
      print("hops on thread 0: \(onMain.value)")
      // A hop takes at most two ticks: the tick that it wakes, and a tick
      // without work.
      print("no polling: \(loop.metrics.ticks <= UInt64(2 * count + 100))")
    }
  }
}

/// Sends blocks to the main queue from another thread and from each other, in
/// order.
@MainActor
func dispatch() throws {
  let main = System.thread
  try EventLoop.runMain { loop in
    let (port, ran) = (loop.port, Tally())
    DispatchQueue.global().async {
      for number in 1...1000 {
        DispatchQueue.main.async {
          guard ran.increment() == number, System.thread == main else { return }
          guard number == 1000 else { return }
          DispatchQueue.main.async {
            print("ran \(ran.value), current loop: \(EventLoop.current != nil)")
            port.stop()
          }
        }
      }
    }
  }
}

/// Sends blocks to the main queue before a loop exists.
@MainActor
func queuedBefore() throws {
  let ran = Tally()
  DispatchQueue.main.async { ran.increment() }
  Task { @MainActor in
    print("before: \(ran.increment())")
    EventLoop.current?.stop()
  }
  try EventLoop.runMain { _ in }
}

/// Runs main-actor code that yields and resumes endlessly. The loop must still
/// tick.
@MainActor
func fair() throws {
  try EventLoop.runMain { loop in
    let rounds = Tally()
    Task { @MainActor in
      while true {
        rounds.increment()
        await Task.yield()
      }
    }
    // Counts rounds instead of time, because on a busy machine the timer may
    // fire before the code runs.
    loop.addTimer(after: .milliseconds(1), every: .milliseconds(1)) { [unowned loop] _ in
      guard rounds.value > 10 else { return }
      print("timer fired, and so did others")
      loop.stop()
    }
  }
}

/// Checks that a bridge without work makes no ticks and keeps the loop alive.
@MainActor
func idle() throws {
  let loop = try EventLoop()
  let bridge = try MainQueueBridge(on: loop)
  loop.run(until: loop.now.advanced(by: .milliseconds(50)))
  let (before, start) = (loop.metrics.ticks, TestThread.processorTime)
  let result = loop.run(until: loop.now.advanced(by: .seconds(1)))
  let used = TestThread.processorTime - start
  print("\(result), ticks \(loop.metrics.ticks - before <= 3), idle \(used < .milliseconds(250))")
  bridge.keepsLoopAlive = false
  print("\(loop.run())")
  try loop.close()
}

/// Prints the error of each call that is refused.
@MainActor
func refused() throws {
  let said = Locked<[String]>([])
  TestThread.run {
    do { try EventLoop.runMain { _ in } } catch {
      said.withLock { $0.append("\(error)") }
    }
  }
  let loop = try EventLoop()
  let bridge = try MainQueueBridge(on: loop)
  do { _ = try MainQueueBridge(on: loop) } catch { said.withLock { $0.append("\(error)") } }
  Task { @MainActor in
    do { try attempt() } catch { said.withLock { $0.append("\(error)") } }
    EventLoop.current?.stop()
  }
  loop.run()
  bridge.cancel()
  bridge.cancel()
  _ = try MainQueueBridge(on: loop)
  try loop.close()
  for line in said.withLock({ $0 }) { print(line) }
}

private func attempt() throws { try EventLoop.runMain { _ in } }

/// Runs a loop in a block of the main queue, where it would wait for that queue
/// forever. The block runs on the first thread and outside a task, so the error
/// is not detected before the first drain.
@MainActor
func nested() throws {
  DispatchQueue.main.async { try? EventLoop.runMain { _ in } }
  // Drain the queue as another kind of run loop does.
  lt_main_queue_drain()
}

/// Checks that blocks which arrive after a bridge was closed run with the next
/// bridge, and that the loop retains that bridge.
@MainActor
func closedBridge() throws {
  let first = try EventLoop()
  let ran = Tally()
  let bridge = try MainQueueBridge(on: first)
  first.run(.noWait)
  bridge.cancel()
  DispatchQueue.main.async { ran.increment() }
  first.run()
  print("without a bridge: \(ran.value)")
  try first.close()
  let second = try EventLoop()
  weak var kept: MainQueueBridge?
  func makeBridge() throws {
    let bridge = try MainQueueBridge(on: second)
    kept = bridge
  }
  try makeBridge()
  for _ in 0..<10 { second.run(.noWait) }
  print("with the next: \(ran.value), kept \(kept != nil)")
  try second.close()
  print("after close(): kept \(kept != nil)")
}

private final class Holder {
  var bridge: MainQueueBridge?
}

/// Before the bridge exists, queues blocks that close the bridge or its adopted
/// loop.
@MainActor
func closedByBlock() throws {
  for closesLoop in [false, true] {
    let holder = Smuggled(Holder())
    let host = ForeignLoop()
    let loop = Smuggled(try EventLoop(adopting: host.address))
    DispatchQueue.main.async {
      if closesLoop { try? loop.value.close() } else { holder.value.bridge?.cancel() }
    }
    holder.value.bridge = try MainQueueBridge(on: loop.value)
    host.run()
    try loop.value.close()
    print("closed: \(host.close())")
  }
}

/// Serves the main queue in a host's own run of an adopted loop.
@MainActor
func adopted() throws {
  let host = ForeignLoop()
  let loop = try EventLoop(adopting: host.address)
  _ = try MainQueueBridge(on: loop)
  let closing = Smuggled(loop)
  DispatchQueue.main.async {
    print("in the host's run: \(EventLoop.current === closing.value)")
    try? closing.value.close()
  }
  host.run()
  print("closed: \(host.close())")
}

/// Checks that an error of the body is rethrown and the loop closed.
@MainActor
func throwing() throws {
  do {
    try EventLoop.runMain { _ in throw Wrong() }
  } catch {
    print("\(error)")
  }
  try EventLoop.runMain { loop in loop.stop() }
  print("ran again")
}

/// Prints a dump of a bridge.
@MainActor
func dumped() throws {
  let loop = try EventLoop()
  let bridge = try MainQueueBridge(on: loop)
  dump(bridge)
  try loop.close()
}
