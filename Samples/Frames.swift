// Commits that wait for the next frame of a screen. The loop makes 4,203 ticks,
// and the label is shown at most once per frame.
//
// Prints:
//   shown as often as changed: false
//   last shown: 4203 rows
//   pending: false

import LoopTransactions

final class Label {
  static let show = Selector<Label>("show") { $0.shown.append($0.text) }

  var text = ""
  var shown: [String] = []
}

/// Loads one row per tick.
final class Loader {
  static let load = Selector<Loader>("load") { $0.loadRow() }

  private(set) var rows = 0
  private let loop: EventLoop
  private let changed: (Int) -> Void

  init(on loop: EventLoop, changed: @escaping (Int) -> Void) {
    (self.loop, self.changed) = (loop, changed)
  }

  private func loadRow() {
    rows += 1
    changed(rows)
    if rows < 4203 { loop.commit(self, Loader.load) }
  }
}

let loop = try EventLoop()
let label = Label()
// snippet.screen
// Has no closure, and a timer only while a commit waits for a frame.
let screen = try FrameClock(on: loop, framesPerSecond: 60)
let loader = Loader(on: loop) { rows in
  label.text = "\(rows) rows"
  loop.commit(label, Label.show, atNextFrameOf: screen)
}
// snippet.end
loop.commit(loader, Loader.load)
loop.run()  // waits for the last frame
print("shown as often as changed:", label.shown.count >= loader.rows)
print("last shown:", label.shown.last ?? "nothing")
print("pending:", loop.isPending(label, Label.show))
try loop.close()
