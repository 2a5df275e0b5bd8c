import LoopTransactions
import Testing

final class Label {
  static let layout = Selector<Label>("layout") { $0.count += 1 }
  var count = 0
}

@Test func first() throws {
  let loop = try EventLoop()
  let label = Label()
  loop.commit(label, Label.layout)
  loop.commit(label, Label.layout)
  let result = loop.run()
  #expect(label.count == 1)
  #expect(result == .finished)
  loop.addTimer(after: .milliseconds(5), every: .milliseconds(5)) { f in print(f); if label.count == 3 { loop.stop() }; loop.commit(label, Label.layout) }
  #expect(loop.run() == .stopped)
  let port = loop.port
  let t = Transaction(label, Label.layout, on: loop)
  t.commit(); t.commit()
  try port.post { print("posted") }
  _ = try FrameClock(on: loop, framesPerSecond: 200) { f in print(f); if f.index > 3 { port.stop() } }
  print(loop.run(until: loop.now.advanced(by: .milliseconds(50))))
  let q = RunLoopQueue<Label>(on: loop) { l, d in print("q", d) }
  q.enqueue(label); q.enqueue(Label())
  print(loop.run(.noWait), loop.run(.noWait))
  print(loop.metrics)
  try loop.close()
}
