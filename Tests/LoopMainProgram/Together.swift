import Dispatch
import LoopTransactions
import LoopTransactionsMain
import Observation
import TestSupport

@Observable
private final class Model {
  var number = 0
}

@MainActor
private final class Screen: MainActorTarget {
  static let show = Selector<Screen>.withObservation("show") { $0.show() }
  let model = Model()
  private(set) var shown: [Int] = []

  private func show() { shown.append(model.number) }
}

private actor Session {
  nonisolated let port: LoopPort
  nonisolated var unownedExecutor: UnownedSerialExecutor { port.asUnownedSerialExecutor() }
  private var calls = 0

  init(on port: LoopPort) { self.port = port }

  func call() -> UInt {
    calls += 1
    return System.thread
  }
}

/// Sleeps, calls `DispatchQueue.main`, and changes an observed model, at once.
@MainActor
func together() async throws {
  let (main, loop, screen) = (System.thread, EventLoop.main, Screen())
  loop.commit(screen, Screen.show)
  let (blocks, slept) = (Tally(), Tally())
  let sender = Task.detached {
    for _ in 0..<1000 {
      DispatchQueue.main.async {
        MainActor.assumeIsolated { if System.thread == main { blocks.increment() } }
      }
    }
  }
  async let sleeper: Void = sleeps(main, slept)
  for number in 1...10 {
    screen.model.number = number
    while screen.shown.last != number { await Task.yield() }
  }
  try await sleeper
  await sender.value
  await withCheckedContinuation { back in DispatchQueue.main.async { back.resume() } }
  print("shown \(screen.shown)")
  print("blocks on the first thread \(blocks.value), sleeps \(slept.value)")
}

@MainActor
private func sleeps(_ main: UInt, _ slept: Tally) async throws {
  for _ in 0..<50 {
    try await Task.sleep(for: .milliseconds(1))
    if System.thread == main { slept.increment() }
  }
}

/// Calls an actor that is pinned to the main actor's loop.
@MainActor
func pinned() async {
  let (main, session) = (System.thread, Session(on: EventLoop.main.port))
  await away()
  let ticks = EventLoop.main.metrics.ticks
  var elsewhere = 0
  for _ in 0..<1000 where await session.call() != main { elsewhere += 1 }
  print("elsewhere \(elsewhere), few ticks \(EventLoop.main.metrics.ticks - ticks < 200)")
}

/// Commits transactions from `main` and from another thread.
@MainActor
func transactions() async throws {
  let (loop, screen) = (EventLoop.main, Screen())
  let (port, show) = (loop.port, Screen.show)
  for _ in 0..<3 { loop.commit(screen, show) }
  while screen.shown.isEmpty { await Task.yield() }
  try await Task.detached { try port.commit(screen, show) }.value
  while screen.shown.count < 2 { await Task.yield() }
  print("shown \(screen.shown)")
}

/// Checks isolation outside of tasks: in callbacks of the loop, and in a block
/// of the main queue.
@MainActor
func assumed() async {
  let loop = EventLoop.main
  await withCheckedContinuation { back in
    loop.addTimer(after: .zero) { _ in
      MainActor.assumeIsolated { print("isolated in a timer") }
      back.resume()
    }
  }
  await withCheckedContinuation { back in
    DispatchQueue.main.async {
      MainActor.preconditionIsolated()
      print("isolated in a block, loop \(EventLoop.current != nil)")
      back.resume()
    }
  }
}
