import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

@Suite("Stress: closing", .serialized)
struct CloseStressTests {
  @Test(
    "everything handed to a closing loop runs once or is refused",
    arguments: Owner.allCases
  )  // L2, L5, L11
  func closeRaces(owner: Owner) throws {
    var generator = SeededGenerator(seed: Workload.seed)
    for round in 0..<Workload.count(3_500) {
      let ledger = Ledger()
      let (loop, host) = try owner.open()
      let handles = Self.openHandles(on: loop, ledger, &generator)
      let threads = start(on: loop, ledger)
      for _ in 0..<generator.next() % 4 {
        if let host { host.run(.noWait) } else { loop.run(.noWait) }
      }
      // A host's handles stay open while its adopted loop closes, so that their
      // callbacks also run after close().
      if host == nil { for handle in handles { handle.close() } }
      try loop.close()
      for thread in threads { thread.join() }
      if let host {
        host.run(.noWait)
        for handle in handles { handle.close() }
        #expect(host.close(), "round \(round)")
      }
      #expect(ledger.ran == ledger.accepted, "round \(round)")
      #expect(ledger.twice == 0, "round \(round)")
      #expect(ledger.outOfOrder == 0, "round \(round)")
      guard ledger.ran == ledger.accepted else { break }
    }
  }

  /// The owner of the libuv loop.
  enum Owner: CaseIterable, Sendable {
    case ours, oursAsync, host

    fileprivate func open() throws -> (EventLoop, ForeignLoop?) {
      switch self {
      case .ours: return (try EventLoop(), nil)
      case .oursAsync: return (try EventLoop(wakeMethod: .async), nil)
      case .host:
        let host = ForeignLoop()
        return (try EventLoop(adopting: host.address), host)
      }
    }
  }

  /// Opens timers and foreign handles that commit until the loop is closed.
  private static func openHandles(
    on loop: EventLoop,
    _ ledger: Ledger,
    _ generator: inout SeededGenerator
  ) -> [ForeignHandle] {
    let isClosed = Tally()
    func commit() {
      guard isClosed.value == 0 else { return }
      ledger.hand { () throws(LoopPort.PostError) in loop.commit(Parcel(ledger), Parcel.deliver) }
    }
    // close() releases this observer last. The release of its capture stops the
    // commits.
    loop.addObserver(for: .exit, order: .max) { [end = Witness { isClosed.increment() }] _ in
      end.touch()
    }
    loop.addTimer(after: .zero) { _ in commit() }
    loop.addTimer(after: .zero, every: .microseconds(50)) { _ in commit() }
    return [ForeignHandle.Kind.prepare, .check, .idle, .timer].compactMap { kind in
      guard generator.next() % 4 != 0 else { return nil }
      return ForeignHandle(kind, on: loop.libuvLoop) { _ in commit() }.start()
    }
  }

  /// Starts four threads. Each adds work in its own way until the loop refuses
  /// it.
  private func start(on loop: EventLoop, _ ledger: Ledger) -> [TestThread] {
    let port = loop.awaitedPort
    let queue = RunLoopQueue<Parcel>(on: loop, batchSize: .unlimited) { parcel, _ in parcel.run() }
    let sequence = Sequence(ledger)
    return [
      Self.untilRefused(ledger, port) { (number) throws(LoopPort.PostError) in
        try port.post { sequence.run(number) }
      },
      Self.untilRefused(ledger, port) { (_) throws(LoopPort.PostError) in
        let context = Unmanaged.passRetained(Parcel(ledger))
        do throws(LoopPort.PostError) {
          try port.post(runParcel, context: context.toOpaque())
        } catch {
          context.release()
          throw error
        }
      },
      Self.untilRefused(ledger, port) { (_) throws(LoopPort.PostError) in
        try port.commit(Parcel(ledger), Parcel.deliver)
      },
      Self.untilRefused(ledger, port) { (_) throws(LoopPort.PostError) in
        if case .queued = queue.enqueue(Parcel(ledger)) { return }
        throw .closed
      },
    ]
  }

  private static func untilRefused(
    _ ledger: Ledger,
    _ port: LoopPort,
    _ hand: @escaping @Sendable (Int) throws(LoopPort.PostError) -> Void
  ) -> TestThread {
    TestThread {
      var number = 0
      while ledger.hand({ () throws(LoopPort.PostError) in try hand(number) }) {
        number += 1
        if number % 64 == 0 { port.wake() }
        // Yield, so that the loop can run.
        if number % 256 == 0 { TestThread.yield() }
      }
      port.wake()
      port.stop()
    }
  }

  /// The state of a loop when it is closed.
  enum Leftover: String, CaseIterable, Codable, Sendable {
    case nothing, port, timer, work
  }

  @Test(
    "opening and closing loops leaks no memory and no descriptors",
    arguments: Leftover.allCases
  )  // L11
  func leavesNothing(leftover: Leftover) async {
    await #expect(processExitsWith: .success) { [leftover] in
      // The four cases together open 10^6 loops.
      let count = Workload.count(250_000)
      for _ in 0..<100 { try Self.openAndClose(leftover) }
      let (before, descriptors) = (Interposed.heapBytes, Process.openDescriptors)
      let names = Set(Process.descriptorNames)
      for _ in 0..<count { try Self.openAndClose(leftover) }
      let growth = Interposed.heapBytes - before
      #expect(abs(growth) < 1 << 20, "\(growth) bytes in \(count) loops")
      let now = Process.openDescriptors
      let new = Process.descriptorNames.filter { !names.contains($0) }
      // Allow two more, because the test's own runtime may open descriptors at
      // any time.
      #expect(now < descriptors + 3, "\(now) open, \(descriptors) before; new: \(new)")
    }
  }

  private static func openAndClose(_ leftover: Leftover) throws {
    let loop = try EventLoop()
    switch leftover {
    case .nothing: break
    case .port:
      let port = loop.awaitedPort
      try loop.close()
      withExtendedLifetime(port) {}
    case .timer:
      loop.addTimer(after: .seconds(3600)) { _ in }
      try loop.addPreciseTimer(at: loop.now.advanced(by: .seconds(3600))) { _ in }
      loop.addObserver(for: .beforeWaiting) { _ in }
    case .work:
      let port = loop.awaitedPort
      try port.post {}
      loop.commit {}
      loop.run(.noWait)
      loop.commit {}
      loop.addTimer(after: .zero) { _ in loop.commit {} }
    }
    try loop.close()
  }
}

private func runParcel(_ context: UnsafeMutableRawPointer?) {
  guard let context else { return }
  Unmanaged<Parcel>.fromOpaque(context).takeRetainedValue().run()
}
