import CUV
import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

@Suite("Waiting for a descriptor in a task")
struct DescriptorWaitTests {
  @Test("a task waits until a descriptor is readable, and may then close it")  // E2
  func readable() throws {
    try withSteppedLoop { stepped in
      let (port, trace, pair) = (stepped.loop.awaitedPort, stepped.trace, SocketPair())
      let (near, held) = (pair.near, Smuggled(pair))
      Task(executorPreference: port) {
        try await port.writable(near)
        trace.record("writable")
        try await port.readable(near)
        trace.record("read \(held.value.receive())")
        held.value.closeNear()
      }
      for _ in 0..<5 { stepped.loop.step() }
      #expect(trace.events == ["writable"])
      pair.send(3)
      for _ in 0..<5 { stepped.loop.step() }
      #expect(trace.events == ["writable", "read 3"])
      #expect(pair.near == -1)
    }
  }

  @Test("an actor pinned to the loop waits without leaving it")  // E2, C1
  func pinned() throws {
    try withSteppedLoop { stepped in
      let (port, trace, pair) = (stepped.loop.awaitedPort, stepped.trace, SocketPair())
      let (near, far) = (pair.near, pair.far)
      let reader = Reader(on: port)
      Task(executorPreference: port) { trace.record("read \(try await reader.read(near))") }
      for _ in 0..<5 { stepped.loop.step() }
      #expect(trace.events == [])
      SocketPair.write(2, to: far)
      for _ in 0..<5 { stepped.loop.step() }
      #expect(trace.events == ["read 2"])
    }
  }

  @Test("a cancelled wait throws, and the loop no longer polls its descriptor")  // E2
  func cancelled() throws {
    try withSteppedLoop { stepped in
      let (port, trace, pair) = (stepped.loop.awaitedPort, stepped.trace, SocketPair())
      let near = pair.near
      let task = Task(executorPreference: port) {
        do { try await port.readable(near) } catch { trace.record("\(type(of: error))") }
      }
      for _ in 0..<5 { stepped.loop.step() }
      task.cancel()
      for _ in 0..<5 { stepped.loop.step() }
      #expect(trace.events == ["CancellationError"])
      pair.closeNear()
      let late = Task(executorPreference: port) {
        do { try await port.readable(near) } catch { trace.record("before") }
      }
      late.cancel()
      for _ in 0..<5 { stepped.loop.step() }
      #expect(trace.events == ["CancellationError", "before"])
    }
  }

  @Test("a wait that is cancelled before the loop starts it leaves no watcher")  // E2
  func cancelledBeforeStart() throws {
    try withAdoptedLoop { host, loop in
      let (port, trace, pair) = (loop.awaitedPort, Trace(), SocketPair())
      let before = host.handleCount(.poll)
      let wait = DescriptorWait(port.core, pair.near, for: .readable)
      Task(executorPreference: port) {
        do {
          try await withUnsafeThrowingContinuation {
            // As if another thread cancelled the task between the two calls.
            guard wait.begin($0) else { return }
            wait.cancel()
            wait.start()
          }
        } catch { trace.record("\(type(of: error))") }
      }
      for _ in 0..<5 { host.run(.noWait) }
      #expect(trace.events == ["CancellationError"])
      #expect(host.handleCount(.poll) == before)
    }
  }

  @Test("a hang-up ends a wait, and a descriptor that is not open throws")  // E2
  func ends() throws {
    try withSteppedLoop { stepped in
      let (port, trace, pair) = (stepped.loop.awaitedPort, stepped.trace, SocketPair())
      let near = pair.near
      Task(executorPreference: port) {
        try await port.readable(near)
        trace.record("hung up")
        // Not a number that another test may open meanwhile.
        do { try await port.readable(1 << 20) } catch {
          trace.record((error as? UVError)?.name ?? "\(error)")
        }
      }
      for _ in 0..<5 { stepped.loop.step() }
      pair.closeFar()
      for _ in 0..<9 { stepped.loop.step() }
      #expect(trace.events == ["hung up", "EBADF"])
    }
  }

  @Test("a wait whose descriptor was closed and reused throws, when the loop finds out")  // E2
  func lost() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      try withSteppedLoop { stepped in
        let (loop, trace) = (stepped.loop, stepped.trace)
        let (port, pair, other) = (loop.awaitedPort, SocketPair(), SocketPair())
        let near = pair.near
        Task(executorPreference: port) {
          do { try await port.readable(near) } catch {
            trace.record((error as? UVError)?.name ?? "\(error)")
          }
        }
        for _ in 0..<5 { loop.step() }
        other.replace(near)
        let watcher = try loop.watch(near, for: .readable) { _ in }
        for _ in 0..<5 { loop.step() }
        #expect(trace.events == ["EBADF"])
        watcher.cancel()
      }
    }
    #expect(said(result, "was closed while it was watched"))
  }

  @Test("closing the loop ends a wait with an error, and so does a closed loop")  // E2, L11
  func closed() async throws {
    let (trace, gate, pair) = (Trace(), Gate(), SocketPair())
    let near = pair.near
    let port = try await onLoopThread { loop in
      let port = loop.port
      let isWaiting = Tally()
      Task.detached(executorPreference: ownThreads) {
        try? port.post { isWaiting.increment() }
        do { try await port.readable(near) } catch { trace.record("\(error)") }
        gate.open()
      }
      while isWaiting.value == 0 { loop.run(.once) }
      return port
    }
    await waitOff(gate)
    do { try await port.readable(near) } catch { trace.record("then \(error)") }
    #expect(trace.events == ["closed", "then closed"])
  }
}

/// An actor pinned to a loop that reads from a descriptor.
private actor Reader {
  nonisolated let port: LoopPort
  nonisolated var unownedExecutor: UnownedSerialExecutor { port.asUnownedSerialExecutor() }

  init(on port: LoopPort) { self.port = port }

  func read(_ descriptor: Int32) async throws -> Int {
    try await port.readable(descriptor)
    assert(port.core.isOnThread)
    return SocketPair.read(64, from: descriptor)
  }
}
