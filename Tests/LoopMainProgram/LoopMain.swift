import Dispatch
import LoopTransactions
import LoopTransactionsMain
import TestSupport

#if canImport(Glibc)
  import Glibc
#endif

// The cases that need an asynchronous main on the loop. Runs one case, given by
// name.
@main
enum LoopMain {
  static let cases: [String: @MainActor () async throws -> Void] = [
    "hops": hops,
    "together": together,
    "suspensions": suspensions,
    "early": early,
    "idle": idle,
    "pinned": pinned,
    "transactions": transactions,
    "assumed": assumed,
    "throws": { throw Wrong() },
    "unfinished": unfinished,
    "stopped": stopped,
    "runInTask": { EventLoop.main.run(.noWait) },
    "runWhileRunning": runWhileRunning,
    "noDescriptor": noDescriptor,
    "offMain": offMain,
    "exits": { prepareExit() },
    "exitsLater": {
      await Task.yield()
      prepareExit()
    },
    "exitCalled": exitCalled,
    "exitUnfinished": exitUnfinished,
    "exitsWithElements": exitsWithElements,
    "exitsInElement": {
      exitsWithElements()
      EventLoop.main.post { DispatchQueue.main.async { exit(3) } }
      try await Task.sleep(for: .seconds(600))
    },
  ]

  static func main() async throws {
    Process.endInTime()
    guard let name = CommandLine.arguments.dropFirst().first, let body = cases[name] else {
      fatalError("usage: loop-main-program \(cases.keys.sorted())")
    }
    try await body()
  }
}

private struct Wrong: Error {}

/// Leaves the main actor.
@concurrent
@discardableResult
func away() async -> UInt { System.thread }

/// Hops from the main actor to another thread and back, and from a detached
/// task to the main actor.
@MainActor
private func hops() async {
  let (main, count) = (System.thread, 100_000)
  var elsewhere = 0
  for _ in 0..<count {
    await away()
    if System.thread != main { elsewhere += 1 }
  }
  let onMain = Tally()
  await Task.detached {
    for _ in 0..<count {
      await MainActor.run { if System.thread == main { onMain.increment() } }
    }
  }.value
  print("main left the first thread \(elsewhere) times")
  print("hops on the first thread: \(onMain.value)")
  print("no polling: \(EventLoop.main.metrics.ticks <= UInt64(4 * count + 100))")
}

/// Suspends `main` in several ways, each of which must end on the first thread.
@MainActor
private func suspensions() async throws {
  let main = System.thread
  var elsewhere = 0
  for number in 0..<2000 {
    switch number % 4 {
    case 0: await Task.yield()
    case 1: await away()
    case 2:
      await withCheckedContinuation { back in
        EventLoop.main.addTimer(after: .zero) { _ in back.resume() }
      }
    default: await Task { @MainActor in await Task.yield() }.value
    }
    if System.thread != main || EventLoop.current !== EventLoop.main { elsewhere += 1 }
  }
  print("2000 suspensions, \(elsewhere) ended elsewhere")
}

/// Starts tasks before the first suspension, when the loop does not exist, and
/// later ones when it does. All run in the order started.
@MainActor
private func early() async {
  let (order, isOver) = (Locked<[Int]>([]), Gate())
  print("loop before its first use: \(EventLoop.current == nil ? "none" : "made")")
  for number in 0..<3 {
    Task { @MainActor in order.withLock { $0.append(number) } }
  }
  let isMade = EventLoop.main === EventLoop.current
  for number in 3..<6 {
    Task { @MainActor in
      order.withLock { $0.append(number) }
      if number == 5 { isOver.open() }
    }
  }
  await Task.detached { isOver.wait() }.value
  print("made by its first use: \(isMade)")
  print(order.withLock { $0 })
}

/// Sleeps. The loop must not tick meanwhile.
@MainActor
private func idle() async throws {
  try await Task.sleep(for: .milliseconds(50))
  let (loop, start) = (EventLoop.main, TestThread.processorTime)
  let before = loop.metrics.ticks
  try await Task.sleep(for: .seconds(1))
  let used = TestThread.processorTime - start
  print("ticks \(loop.metrics.ticks - before <= 5), idle \(used < .milliseconds(250))")
}

/// Ends `main` while tasks and timers remain. They do not keep the process.
@MainActor
private func unfinished() async {
  let loop = EventLoop.main
  loop.addTimer(after: .seconds(60)) { _ in print("timer") }
  Task { @MainActor in
    try? await Task.sleep(for: .seconds(60))
    print("task")
  }
  await Task.yield()
  print("main ends")
}

/// Stops the loop, which an asynchronous main forbids.
@MainActor
private func stopped() async {
  EventLoop.main.port.stop()
  await withCheckedContinuation { (_: CheckedContinuation<Void, Never>) in }
}

@MainActor
private func runWhileRunning() async {
  await away()
  EventLoop.main.run(.noWait)
}

/// Leaves no descriptor for the loop. Does not suspend before: a job that came
/// back would need the main queue's descriptor, without which Dispatch crashes.
@MainActor
private func noDescriptor() async {
  Process.limitDescriptors(to: 0)
  _ = EventLoop.main
}

/// Reads `main` on a thread that is not the main actor's, by a cast that the
/// compiler cannot check.
@MainActor
private func offMain() async {
  let body: @MainActor () -> Void = { _ = EventLoop.main }
  nonisolated(unsafe) let unchecked = unsafeBitCast(body, to: (() -> Void).self)
  await Task.detached { unchecked() }.value
}

@MainActor
private final class Document: MainActorTarget {
  static let save = Selector<Document>("save") { _ in print("saved") }
  static let again = Selector<Document>("again") { $0.commitAgain() }

  func commitAgain() { EventLoop.main.commit(self, Document.again) }
}

/// Leaves a post, a transaction and a pair that waits for a frame to the exit.
@MainActor
private func prepareExit() {
  let (loop, document) = (EventLoop.main, Document())
  loop.commit(document, Document.save)
  loop.post {
    print("posted")
    loop.post { print("posted again") }
  }
  loop.addObserver(for: .exit) { _ in print("exit observer") }
  guard let clock = try? FrameClock(on: loop, framesPerSecond: 0.001) else { return }
  loop.commit(Card(), Card.draw, atNextFrameOf: clock)
  print("main ends")
}

private final class Card {
  static let draw = Selector<Card>("draw") { _ in print("drawn") }
}

/// Exits in a transaction, while others are pending.
@MainActor
private func exitCalled() async throws {
  let loop = EventLoop.main
  loop.addTimer(after: .zero) { _ in
    loop.commit { exit(3) }
    prepareExit()
  }
  try await Task.sleep(for: .seconds(600))
}

/// Leaves work that the exit cannot finish.
@MainActor
private func exitUnfinished() {
  let (loop, never) = (EventLoop.main, Gate())
  let transaction = AsyncTransaction(on: loop, name: "cards")
  transaction.add { _ in
    never.wait()
  } completion: { _ in
    print("completed")
  }
  transaction.commit()
  for _ in 1...3 { loop.commit(Document(), Document.again) }
  endless = RunLoopQueue(on: loop) { document, _ in endless?.enqueue(document) }
  endless?.enqueue(Document())
}

@MainActor private var endless: RunLoopQueue<Document>?
@MainActor private var elements: RunLoopQueue<Document>?
@MainActor private var values: RunLoopValueQueue<Int>?

/// Leaves elements of queues and a block of the main queue to the exit.
@MainActor
private func exitsWithElements() {
  let loop = EventLoop.main
  elements = RunLoopQueue(on: loop) { document, _ in
    print("element")
    loop.commit(document, Document.save)
  }
  values = RunLoopValueQueue(on: loop) { value, _ in print("value \(value)") }
  for value in 1...3 {
    elements?.enqueue(Document())
    values?.enqueue(value)
  }
  DispatchQueue.main.async { print("block") }
  print("main ends")
}
