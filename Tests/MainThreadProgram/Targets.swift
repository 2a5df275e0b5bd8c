import LoopTransactions
import TestSupport

private final class Label: MainActorTarget {
  static let layout = Selector<Label>("main layout") { $0.layOut() }
  static let scroll = Selector<Label>.Carrying<Int>("main scroll", merge: +) { label, distance in
    label.offset += distance
  }
  static let watch = Selector<Label>.withObservation("main watch") { $0.watch() }
  static let move = Selector<Label>.Carrying<Int>("main move") { $0.offset = $1 }
  private(set) var layouts = 0
  var offset = 0

  func layOut() { layouts += 1 }

  func watch() { print("watching") }
}

private actor Session {
  static let flush = Selector<Session>("session flush") { $0.flush() }
  static let watch = Selector<Session>.withObservation("session watch") { $0.watch() }
  static let add = Selector<Session>.Carrying<Int>("session add", merge: +) { $0.sum += $1 }
  nonisolated let port: LoopPort
  nonisolated var unownedExecutor: UnownedSerialExecutor { port.asUnownedSerialExecutor() }
  private var flushes = 0
  private var sum = 0

  init(on port: LoopPort) { self.port = port }

  func change() {
    guard let loop = EventLoop.current else { return }
    for number in 1...3 {
      loop.commit(self, Session.flush)
      loop.commit(self, Session.add, number)
    }
    Transaction(self, Session.flush, on: loop).commit()
    loop.commit(self, Session.watch)
  }

  private func flush() { flushes += 1 }

  private func watch() { sum += 100 }

  var state: String { "flushes \(flushes), sum \(sum)" }
}

/// Commits transactions whose targets belong to the main actor or to a pinned
/// actor.
@MainActor
func targets() throws {
  try EventLoop.runMain { loop in
    let (label, session, port) = (Label(), Session(on: loop.port), loop.port)
    loop.commit(label, Label.watch)
    let (layout, kept) = (Label.layout, Transaction(label, Label.layout, on: loop))
    for number in 1...3 {
      loop.commit(label, Label.layout)
      kept.commit()
      loop.commit(label, Label.scroll, number)
    }
    Task { @MainActor in
      await session.change()
      // Commit on another thread. The loop of this thread performs the
      // transaction.
      await Task.detached { try? port.commit(label, layout) }.value
      while label.layouts < 2 { await Task.yield() }
      print("layouts \(label.layouts), offset \(label.offset)")
      print(await session.state)
      port.stop()
    }
  }
}

/// Performs a main-actor target's transaction on another thread's loop, which
/// traps.
@MainActor
func otherLoop() throws {
  let label = Label()
  let layout = Label.layout
  TestThread.run {
    guard let loop = try? EventLoop() else { return }
    try? loop.port.commit(label, layout)
    loop.run(.noWait)
  }
}

/// Serves the main queue of a loop that a host runs in turns.
@MainActor
func embedded() throws {
  let loop = try EventLoop()
  let embedding = Embedding(loop)
  _ = try MainQueueBridge(on: loop)
  let isOver = Tally()
  Task.detached {
    for _ in 0..<1000 { await MainActor.run {} }
    await MainActor.run { _ = isOver.increment() }
  }
  var turns = 0
  while isOver.value == 0 {
    waitFor(embedding.pollDescriptor, embedding.nextTimeout)
    embedding.turn()
    turns += 1
  }
  print("hops in turns: \(turns <= 2100)")
  embedding.cancel()
  try loop.close()
}
