import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

// Each test keeps the loop's thread alive to the end. Otherwise a worker could
// get the thread's identifier and be mistaken for it by the test.
// ThreadSanitizer would make the same mistake, because it does not see the C
// library's own locks.
@Suite("Closed loop: orphaned jobs")
struct OrphanedJobsTests {
  @Test("tasks of an actor whose loop is closed run on other threads, still isolated")  // C1
  func afterClose() async throws {
    let over = Gate()
    defer { over.open() }
    let (pinned, own) = try await onLoopThread(until: over) { loop in
      (Pinned(on: loop.awaitedPort), System.thread)
    }
    #expect(pinned.port.isIsolatingCurrentContext() == false)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<1000 { group.addTask { await pinned.increment() } }
    }
    #expect(await pinned.count == 1000)
    #expect(await pinned.thread != own)
  }

  @Test("tasks that race with close() all run, and none overlaps another")  // C1, L11
  func duringClose() async throws {
    for _ in 0..<50 {
      let (done, gate, over) = (Tally(), Gate(), Gate())
      defer { over.open() }
      let pinned = try await onLoopThread(until: over) { loop in
        let pinned = Pinned(on: loop.awaitedPort)
        for _ in 0..<50 {
          Task.detached(executorPreference: ownThreads) {
            await pinned.increment()
            await Task.yield()
            await pinned.increment()
            if done.increment() == 50 { gate.open() }
          }
        }
        loop.run(.noWait)
        return pinned
      }
      await waitOff(gate)
      #expect(await pinned.count == 100)
    }
  }

  @Test("two tasks of an actor whose loop is closed never run at the same time")  // C1
  func alone() async throws {
    let (over, inside) = (Gate(), Tally())
    defer { over.open() }
    let pinned = try await onLoopThread(until: over) { loop in Pinned(on: loop.awaitedPort) }
    let alone = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<20 { group.addTask { await pinned.stays(for: .milliseconds(1), inside) } }
      return await group.reduce(0) { $1 ? $0 + 1 : $0 }
    }
    #expect(alone == 20)
  }

  @Test("a job that arrives while the loop closes runs after it is closed")  // C1
  func waits() async throws {
    let (trace, gate, over) = (Trace(), Gate(), Gate())
    defer { over.open() }
    try await onLoopThread(until: over) { loop in
      let (port, own) = (loop.awaitedPort, System.thread)
      try port.post {
        // close() runs this post, and the loop refuses jobs from then on.
        Task(executorPreference: port) {
          trace.record("late, on the loop: \(System.thread == own)")
          gate.open()
        }
        // Give a worker enough time to begin the job too early.
        spin(for: .milliseconds(20))
        trace.record("posted")
      }
      loop.addTimer(after: .seconds(100)) { [witness = Witness { trace.record("closed") }] _ in
        witness.touch()
      }
    }
    await waitOff(gate)
    #expect(trace.events == ["posted", "closed", "late, on the loop: false"])
  }

  @Test("a job that closes its adopted loop continues without overlapping later jobs")  // C1
  func closesFromWithin() async throws {
    let gate = Gate()
    let trace = Trace()
    let thread = TestThread {
      let host = ForeignLoop()
      guard let loop = try? EventLoop(adopting: host.address) else { return }
      let port = loop.awaitedPort
      let held = Smuggled(loop)
      Task(executorPreference: port) {
        try? held.value.close()
        Task(executorPreference: port) {
          trace.record("late")
          gate.open()
        }
        for _ in 0..<100 { TestThread.yield() }
        trace.record("left")
      }
      host.run()
      _ = host.close()
    }
    await waitOff(gate)
    thread.join()
    #expect(trace.events == ["left", "late"])
  }

  @Test("only the first late job is reported on standard error")  // C1
  func told() async {
    let result = await #expect(
      processExitsWith: .success,
      observing: [\.standardErrorContent]
    ) {
      let over = Gate()
      defer { over.open() }
      let pinned = try await onLoopThread(until: over) { loop in Pinned(on: loop.awaitedPort) }
      for _ in 0..<3 { await pinned.increment() }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    let told = text.split(separator: "\n")
      .filter { $0.hasPrefix("LoopPort.enqueue: the loop is closed") }
    #expect(told.count == 1)
  }
}

/// Waits for `gate` without blocking a thread of the concurrency pool.
func waitOff(_ gate: Gate) async {
  let isOpen = await withCheckedContinuation { continuation in
    _ = TestThread { continuation.resume(returning: gate.waitInTime()) }
  }
  #expect(isOpen, "the gate did not open within a minute")
}
