import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A loop that is released while open.
private func openLoop() throws -> EventLoop {
  Interposed.forgiveLeaks()
  Process.endInTime()
  let loop = try EventLoop()
  return loop
}

@Suite("Event sources: released while open", .serialized)
struct EventSourceReleaseTests {
  @Test("a released loop ends its watchers and releases their callbacks")
  func watchers() async {  // L11, E1, E3, E4
    await #expect(processExitsWith: .success) {
      let (released, pair, child) = (Tally(), SocketPair(), Process.start("exit 0"))
      let witness = { Witness { released.increment() } }
      var loop: EventLoop? = try openLoop()
      let before = Process.openDescriptors
      let watcher = try loop?.watch(pair.near, for: .writable) { [it = witness()] _ in it.touch() }
      let signal = try loop?.onSignal(SIGUSR2) { [it = witness()] in it.touch() }
      let exit = try loop?.onExit(of: child) { [it = witness()] _ in it.touch() }
      try loop?.onMemoryPressure(descriptor: SocketPair.duplicate(pair.far)) { [it = witness()] in
        it.touch()
      }
      // A pidfd and the pressure file.
      #expect(Process.openDescriptors == before + 2)
      loop?.run(.noWait)
      loop = nil
      #expect(released.value == 4)
      #expect(watcher?.isActive == false && signal?.isActive == false && exit?.isActive == false)
      // All are closed, and the signal has its disposition back.
      #expect(Process.openDescriptors == before)
      #expect(Process.isDefault(SIGUSR2) && Process.isDefault(SIGCHLD))
      watcher?.events = .readable
      watcher?.cancel()
      signal?.cancel()
      exit?.cancel()
    }
  }

  @Test("the host of a released loop calls none of its watchers")  // L11, E1, E3
  func host() async {
    await #expect(processExitsWith: .success) {
      Interposed.forgiveLeaks()
      let (host, pair, trace) = (ForeignLoop(), SocketPair(), Trace())
      var loop: EventLoop? = try EventLoop(adopting: host.address)
      try loop?.watch(pair.near, for: .writable) { _ in trace.record("writable") }
      try loop?.onSignal(SIGWINCH) { trace.record("signal") }
      Process.raise(SIGWINCH)
      loop = nil
      host.run(.noWait)
      #expect(trace.events == [])
      #expect(host.tearDown())
    }
  }

  @Test("a task that waits for a descriptor gets an error", arguments: [false, true])  // L11, E2
  func waiting(hasBegun: Bool) async {
    await #expect(processExitsWith: .success) { [hasBegun] in
      var loop: EventLoop? = try openLoop()
      let (port, pair, ended) = (loop?.port, SocketPair(), Gate())
      let near = pair.near
      Task.detached {
        await #expect(throws: LoopPort.PostError.closed) { try await port?.readable(near) }
        ended.open()
      }
      #expect(inTime { loop?.hasWorkOrPosts == true })
      if hasBegun { loop?.run(.noWait) }
      loop = nil
      #expect(ended.waitInTime())
    }
  }

  @Test("a sequence of signals ends")  // L11, E3
  func sequence() async {
    await #expect(processExitsWith: .success) {
      var loop: EventLoop? = try openLoop()
      let (signals, ended) = (try loop?.signals(SIGUSR2), Gate())
      Task.detached {
        if let signals { for await _ in signals { Issue.record("received a signal") } }
        ended.open()
      }
      loop = nil
      #expect(ended.waitInTime())
      #expect(Process.isDefault(SIGUSR2))
    }
  }
}
