// A target with `.defaultIsolation(MainActor.self)`. Closures that run on the loop's own thread
// are main-actor code there. Actions of selectors and bodies of operations are not. C10
//
// Flags: -default-isolation MainActor
import LoopTransactions

// snippet.targets
// Its transactions run on the main thread's loop.
final class Label: MainActorTarget {
  static let layout = Selector<Label>("layout") { $0.layOut() }
  static let show = Selector<Label>.Carrying<String>("show") {
    $0.text = $1
  }
  var text = ""
  func layOut() { print("laid out:", text) }
}

// Its transactions run on the loop of any thread.
nonisolated final class Session {
  static let flush = Selector<Session>("flush") { $0.flush() }
  func flush() {}
}
// snippet.end

final class Window {
  // error: call to main actor-isolated instance method 'layOut()' in a synchronous nonisolated context
  static let layout = Selector<Window>("layout") { $0.layOut() }
  // error: be mutated from a Sendable closure
  static let scroll = Selector<Window>.Carrying<Int>("scroll", merge: +) { $0.offset += $1 }
  var offset = 0
  func layOut() {}
}

func decode(_ number: Int) -> String { "\(number)" }
nonisolated func parse(_ number: Int) -> String { "\(number)" }

func callbacks(_ loop: EventLoop, _ label: Label, _ clock: FrameClock) throws {
  loop.commit(label, Label.layout)
  loop.commit(label, Label.show, "new", atNextFrameOf: clock)
  loop.commit(Session(), Session.flush)
  loop.post { label.layOut() }
  loop.whenIdle { label.layOut() }
  loop.addTimer(after: .seconds(1)) { _ in label.layOut() }
  try loop.addPreciseTimer(at: LoopClock.now) { _ in label.layOut() }
  loop.addObserver(for: .exit) { _ in label.layOut() }
  try loop.watch(0, for: .readable) { _ in label.layOut() }
  try loop.onSignal(1) { label.layOut() }
  loop.errorHandler = { _ in label.layOut() }
  loop.tickHandler = { _ in label.layOut() }
  _ = RunLoopValueQueue<Int>(on: loop) { _, _ in label.layOut() }
}

func operations(_ loop: EventLoop, _ port: LoopPort, _ label: Label) throws {
  let transaction = AsyncTransaction(on: loop)
  transaction.add { _ in
    parse(1)
  } completion: { outcome in
    label.text = outcome.value ?? ""
  }
  transaction.add { _ in
    // error: call to main actor-isolated global function 'decode' in a synchronous nonisolated context
    decode(1)
  } completion: { outcome in
    label.text = outcome.value ?? ""
  }
  transaction.commit()
  try port.post { MainActor.assumeIsolated { label.layOut() } }
  // error: call to main actor-isolated instance method 'layOut()' in a synchronous nonisolated context
  try port.post { label.layOut() }
}
