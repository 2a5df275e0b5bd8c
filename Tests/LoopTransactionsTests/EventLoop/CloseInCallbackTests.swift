import LoopTransactions
import TestSupport
import Testing

@Suite("EventLoop.close in each kind of callback of an adopted loop")
struct CloseInCallbackTests {
  @Test("close() performs pending work and returns", arguments: Callback.closing)  // L11
  func closes(callback: Callback) async {
    await #expect(processExitsWith: .success) { [callback] in
      Process.endInTime()
      let host = ForeignLoop()
      let closer = Closer(try EventLoop(adopting: host.address))
      let performed = Tally()
      closer.beforeClosing = { loop in
        loop.commit { performed.increment() }
      }
      try callback.arrange(closer)
      while !closer.isClosed { host.run(.once) }
      #expect(performed.value == 1)
      closer.kept = []
      #expect(host.close())
    }
  }

  @Test(
    "close() traps in a callback whose caller still needs the loop",
    arguments: Callback.refused
  )
  func traps(callback: Callback) async {  // L11
    let result = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) { [callback] in
      Process.endInTime()
      let host = ForeignLoop()
      let closer = Closer(try EventLoop(adopting: host.address))
      try callback.arrange(closer)
      while !closer.isClosed { host.run(.once) }
    }
    #expect(said(result, "EventLoop.close: must not be called in \(callback.place)"))
  }

  @Test(
    "an object that an observer retained may close and release the loop, also outside callbacks"
  )  // L11
  func removedObserver() async {
    await #expect(processExitsWith: .success) {
      Process.endInTime()
      let host = ForeignLoop()
      let closer = Closer(try EventLoop(adopting: host.address))
      let witness = Witness { closer.close() }
      let observer = closer.loop.addObserver(for: .exit) { [witness] _ in witness.touch() }
      _ = consume witness
      observer.cancel()
      #expect(closer.isClosed)
      #expect(host.close())
    }
  }

  @Test("close() in a completion runs the other completions first, once each, in order")  // L11, O6
  func otherCompletions() throws {
    let host = ForeignLoop()
    let loop = try EventLoop(adopting: host.address)
    let log = Log()
    let transaction = AsyncTransaction(on: loop, scheduler: .alone())
    for number in 0..<4 {
      transaction.add { _ in
        number
      } completion: { outcome in
        log.add("\(outcome)")
        guard number == 1 else { return }
        #expect(throws: Never.self) { try loop.close() }
        log.add("closed")
      }
    }
    transaction.whenComplete { log.add("\($0.state)") }
    transaction.commit()
    while !log.events.contains("closed") { host.run(.once) }
    #expect(
      log.events == ["value(0)", "value(1)", "value(2)", "value(3)", "complete", "closed"]
    )
    #expect(transaction.state == .complete && !transaction.isCancelled)
    #expect(host.close())
  }

  @Test("waiting in the deinit of a cancelled operation's captures traps")  // O9
  func waitingInADeinit() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      Process.endInTime()
      let loop = try EventLoop()
      let scheduler = OperationScheduler.alone(workers: 1)
      let frozen = FrozenWorkers(scheduler, 1)
      let transaction = AsyncTransaction(
        on: loop,
        name: "cards",
        scheduler: scheduler,
        start: .onCommit
      )
      let smuggled = Smuggled(transaction)
      Callback.addCapturing(Witness { smuggled.value.waitUntilComplete() }, to: transaction)
      transaction.cancelInTime()
      frozen.thaw()
    }
    #expect(said(result, "waitUntilComplete: must not be called from an operation of cards"))
  }
}

/// A loop and the function with which callbacks close it.
final class Closer: @unchecked Sendable {
  // @unchecked: tests use it on the loop's thread only.
  private(set) var isClosed = false
  private var isClosing = false
  var kept: [Any] = []
  // Adds work that is pending when the loop is closed.
  var beforeClosing: (EventLoop) -> Void = { _ in }
  private var held: EventLoop?

  init(_ loop: EventLoop) { held = loop }

  var loop: EventLoop {
    guard let held else { fatalError("Closer: the loop is closed") }
    return held
  }

  /// Closes and releases the loop on the first call.
  func close() {
    guard !isClosing, let loop = held else { return }
    isClosing = true
    beforeClosing(loop)
    do { try loop.close() } catch { Issue.record(error) }
    held = nil
    isClosed = true
  }
}
