// Commits that wait for a frame, beside commits for the tick, in numbers for a
// tool that counts instructions.
//
// Arguments: frame first 1000
// Prints:
//   1000 performed, 0 coalesced

import LoopTransactions

final class Label {
  static let show = Selector<Label>("show") { _ in }
}

/// Makes `count` commits of pairs that are not pending, 100 in a frame or tick.
@MainActor
func commitFirst(_ count: Int, on loop: EventLoop, at screen: FrameClock?) {
  let labels = (0..<100).map { _ in Label() }
  for _ in 0..<count / labels.count {
    if let screen {
      for label in labels { loop.commit(label, Label.show, atNextFrameOf: screen) }
      screen.beginFrame()
    } else {
      for label in labels { loop.commit(label, Label.show) }
      loop.run(.noWait)
    }
  }
}

/// Makes `count` commits of a pair that is pending after the first one.
@MainActor
func commitAgain(_ count: Int, on loop: EventLoop, at screen: FrameClock?) {
  let label = Label()
  for _ in 0..<count {
    if let screen {
      loop.commit(label, Label.show, atNextFrameOf: screen)
    } else {
      loop.commit(label, Label.show)
    }
  }
}

/// The same with a kept transaction.
@MainActor
func commitKept(_ count: Int, on loop: EventLoop, at screen: FrameClock?) {
  let label = Label()
  let kept = Transaction(label, Label.show, on: loop)
  withExtendedLifetime(label) {
    for _ in 0..<count {
      if let screen { kept.commit(atNextFrameOf: screen) } else { kept.commit() }
    }
  }
}

let arguments = Array(CommandLine.arguments.dropFirst()) + ["frame", "first", "1000"]
let (place, kind, count) = (arguments[0], arguments[1], Int(arguments[2]) ?? 1000)
let loop = try EventLoop()
loop.budget = .unlimited  // carries nothing over, also if the process is preempted
// The program announces the frames, so that no time passes.
let screen = place == "frame" ? FrameClock(hostedOn: loop) {} : nil
switch kind {
case "first": commitFirst(count, on: loop, at: screen)
case "again": commitAgain(count, on: loop, at: screen)
default: commitKept(count, on: loop, at: screen)
}
let metrics = loop.metrics
try loop.close()
print("\(metrics.performed) performed, \(metrics.coalesced) coalesced")
