import LoopTransactions
import LoopTransactionsTesting
import Testing

// The examples of the documentation comments, compiled and not run. scripts/lib/blocks.py
// compares them.

private final class Saver {
  var stored = ""
  var saved: [String] = []
  init(on loop: EventLoop, _ scheduler: OperationScheduler) {}
  func save(_ text: String) {}
  func textChanged(_ text: String) {}
}

private struct Pages: Sendable {
  func load(_ number: Int) async throws -> String { "" }
}

private func orders() throws {
  try SteppedLoop.forEachOrder { stepped in
    let saver = Saver(on: stepped.loop, SteppedScheduler(on: stepped).scheduler)
    saver.save("a")
    saver.save("b")
    stepped.runUntilIdle()
    #expect(saver.stored == "b", "\(stepped.choices)")
  }
}

@MainActor
private func value(_ stepped: SteppedLoop, _ pages: Pages) async throws {
  let page = try await stepped.value(of: Task { try await pages.load(1) })
  print(page)
}

private func stepped() throws {
  let stepped = try SteppedLoop()
  stepped.loop.addTimer(after: .seconds(60)) { _ in
    stepped.trace.record("a minute")
  }
  stepped.advance(by: .seconds(60))
  print(stepped.trace.events)
}

private func scheduler() throws {
  let stepped = try SteppedLoop(seed: 7)
  let saver = Saver(on: stepped.loop, SteppedScheduler(on: stepped).scheduler)
  saver.textChanged("draft")
  stepped.advance(by: .seconds(2))
  #expect(saver.saved == ["draft"])
  try stepped.close()
}

private func operations(_ stepped: SteppedLoop, _ page: Int) {
  @Sendable func write(_ page: Int) {}
  let scheduler = OperationScheduler("disk")
  let disk = SerialQueue("disk", on: scheduler)
  disk.add { write(page) }
  stepped.waitForOperations(of: scheduler)
}
