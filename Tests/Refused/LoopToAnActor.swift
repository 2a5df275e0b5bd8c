// Sends a loop to another actor by awaiting a commit.
import LoopTransactions

actor Session {
  static let flush = Selector<Session>("flush") { $0.flush() }
  nonisolated let port: LoopPort
  nonisolated var unownedExecutor: UnownedSerialExecutor { port.asUnownedSerialExecutor() }

  init(on port: LoopPort) { self.port = port }

  func flush() {}
}

func commit(_ session: Session, _ loop: EventLoop) async {
  // error: sending 'loop' risks causing data races
  await loop.commit(session, Session.flush)
}
