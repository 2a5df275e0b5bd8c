// Commits the transaction of an actor pinned to the loop from outside that
// actor.
import LoopTransactions

actor Session {
  static let flush = Selector<Session>("flush") { $0.flush() }
  static let add = Selector<Session>.Carrying<Int>("add", merge: +) { $0.sum += $1 }
  nonisolated let port: LoopPort
  nonisolated var unownedExecutor: UnownedSerialExecutor { port.asUnownedSerialExecutor() }
  private var sum = 0

  init(on port: LoopPort) { self.port = port }

  func flush() {}

  func allowed() {
    guard let loop = EventLoop.current else { return }
    loop.commit(self, Session.flush)
    loop.commit(self, Session.add, 1)
    Transaction(self, Session.flush, on: loop).commit()
    let clock = FrameClock(hostedOn: loop) {}
    loop.commit(self, Session.flush, atNextFrameOf: clock)
    loop.commit(self, Session.add, 1, atNextFrameOf: clock)
  }

  func refused(_ other: Session) {
    guard let loop = EventLoop.current else { return }
    // error: call to actor-isolated instance method 'commit'
    loop.commit(other, Session.flush)
  }
}

func refused(_ loop: EventLoop, _ session: Session, _ clock: FrameClock) {
  // error: call to actor-isolated instance method 'commit(_:_:atNextFrameOf:)'
  loop.commit(session, Session.flush, atNextFrameOf: clock)
  // error: call to actor-isolated instance method 'commit(_:_:_:atNextFrameOf:)'
  loop.commit(session, Session.add, 1, atNextFrameOf: clock)
  // error: call to actor-isolated instance method 'commit'
  loop.commit(session, Session.flush)
  // error: call to actor-isolated instance method 'commit'
  loop.commit(session, Session.add, 1)
  // error: call to actor-isolated instance method 'performIfNeeded'
  loop.performIfNeeded(session, Session.flush)
}
