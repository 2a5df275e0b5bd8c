// Commits a main-actor target's transaction outside the main actor.
import LoopTransactions

final class Label: MainActorTarget {
  static let layout = Selector<Label>("layout") { $0.layOut() }
  static let scroll = Selector<Label>.Carrying<Int>("scroll", merge: +) { $0.offset += $1 }
  var offset = 0
  func layOut() {}
}

@MainActor
func allowed(_ loop: EventLoop, _ label: Label) {
  loop.commit(label, Label.layout)
  loop.commit(label, Label.scroll, 1)
  loop.performIfNeeded(label, Label.layout)
  Transaction(label, Label.layout, on: loop).commit()
}

@MainActor
func allowed(_ loop: EventLoop, _ label: Label, _ clock: FrameClock) {
  loop.commit(label, Label.layout, atNextFrameOf: clock)
  loop.commit(label, Label.scroll, 1, atNextFrameOf: clock)
}

func refused(_ loop: EventLoop, _ label: Label, _ layout: Selector<Label>, _ clock: FrameClock) {
  // error: call to main actor-isolated instance method 'commit(_:_:atNextFrameOf:)'
  loop.commit(label, layout, atNextFrameOf: clock)
  // error: call to main actor-isolated instance method 'commit'
  loop.commit(label, layout)
  // error: call to main actor-isolated instance method 'performIfNeeded'
  loop.performIfNeeded(label, layout)
  // error: call to main actor-isolated initializer
  _ = Transaction(label, layout, on: loop)
  // error: main actor-isolated static property 'layout' can not be referenced
  _ = Label.layout
}
