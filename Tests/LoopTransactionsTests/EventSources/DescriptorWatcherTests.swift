import CUV
import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite("DescriptorWatcher")
struct DescriptorWatcherTests {
  @Test("a watcher is called in each tick until the data is read")  // E1
  func levelTriggered() throws {
    try withLoop { loop in
      let (pair, trace) = (SocketPair(), Trace())
      let watcher = try loop.watch(pair.near, for: .readable) { trace.record("\($0)") }
      loop.run(.noWait)
      #expect(trace.events == [])
      pair.send()
      loop.run(.noWait)
      loop.run(.noWait)
      #expect(trace.events == ["[readable]", "[readable]"])
      pair.receive()
      #expect(loop.run(.noWait) == .ticked)
      #expect(trace.events.count == 2)
      watcher.cancel()
      #expect(!watcher.isActive)
      #expect(loop.run() == .finished)
    }
  }

  @Test("the watchers of a descriptor share one libuv handle, called in order")  // E1
  func shared() throws {
    try withAdoptedLoop { host, loop in
      let (pair, trace) = (SocketPair(), Trace())
      let before = host.handleCount(.poll)
      let watchers = try (0..<3).map { number in
        try loop.watch(pair.near, for: number == 2 ? .writable : .readable) {
          trace.record("\(number) \($0)")
        }
      }
      #expect(host.handleCount(.poll) == before + 1)
      pair.send()
      host.run(.noWait)
      #expect(trace.events == ["0 [readable]", "1 [readable]", "2 [writable]"])
      for watcher in watchers { watcher.cancel() }
      host.run(.noWait)
      #expect(host.handleCount(.poll) == before)
    }
  }

  @Test("changed events apply from the next callback on, also to a neighbour")  // E1
  func changes() throws {
    try withLoop { loop in
      let (pair, trace) = (SocketPair(), Trace())
      var second: DescriptorWatcher?
      let first = try loop.watch(pair.near, for: .writable) {
        trace.record("first \($0)")
        second?.events = .readable
      }
      second = try loop.watch(pair.near, for: .writable) { trace.record("second \($0)") }
      loop.run(.noWait)
      #expect(trace.events == ["first [writable]"])
      #expect(second?.events == .readable)
      first.events = []
      pair.send()
      loop.run(.noWait)
      #expect(trace.events == ["first [writable]", "second [readable]"])
      first.cancel()
      second?.cancel()
    }
  }

  @Test("interest that is the same when the loop waits costs no system call")  // E1, E6
  func noSystemCall() throws {
    try withLoop { loop in
      let pair = SocketPair()
      let watcher = try loop.watch(pair.near, for: .readable) { _ in }
      loop.addObserver(for: .beforeWaiting) { _ in
        watcher.events = [.readable, .writable]
        watcher.events = .readable
      }
      loop.run(.noWait)
      let before = Interposed.pollChanges
      for _ in 0..<10 { loop.run(.noWait) }
      if Interposed.isAvailable { #expect(Interposed.pollChanges == before) }
      watcher.events = [.readable, .writable]
      loop.addObserver(for: .beforeWaiting, order: 1, repeats: false) { _ in
        watcher.events = .writable
      }
      loop.run(.noWait)
      if Interposed.isAvailable { #expect(Interposed.pollChanges - before == 2) }
      watcher.cancel()
    }
  }

  @Test("a watcher cancels itself and its neighbours in a callback")  // E1
  func cancelsInCallback() throws {
    try withLoop { loop in
      let (pair, trace) = (SocketPair(), Trace())
      var watchers: [DescriptorWatcher] = []
      for number in 0..<4 {
        let watcher = try loop.watch(pair.near, for: .writable) { _ in
          trace.record("\(number)")
          if number == 1 { for other in [0, 1, 2] { watchers[other].cancel() } }
        }
        watchers.append(watcher)
      }
      loop.run(.noWait)
      #expect(trace.events == ["0", "1", "3"])
      loop.run(.noWait)
      #expect(trace.events == ["0", "1", "3", "3"])
      watchers[3].cancel()
      #expect(loop.run() == .finished)
    }
  }

  @Test("a watcher that a callback adds to its descriptor is called from the next tick on")  // E1
  func addsInCallback() throws {
    try withLoop { loop in
      let (pair, trace) = (SocketPair(), Trace())
      var watchers: [DescriptorWatcher] = []
      let first = try loop.watch(pair.near, for: .writable) { _ in
        trace.record("first")
        guard watchers.count == 1 else { return }
        let second = try? loop.watch(pair.near, for: .writable) { _ in trace.record("second") }
        watchers.append(contentsOf: [second].compactMap(\.self))
      }
      watchers.append(first)
      loop.run(.noWait)
      #expect(trace.events == ["first"])
      loop.run(.noWait)
      #expect(trace.events == ["first", "first", "second"])
      for watcher in watchers { watcher.cancel() }
    }
  }

  @Test("a deinit of a callback's captures may change and cancel the watcher")  // E1
  func releases() throws {
    try withLoop { loop in
      let (pair, trace) = (SocketPair(), Trace())
      var watcher: DescriptorWatcher?
      let late = Late {
        watcher?.events = .writable
        watcher?.cancel()
        trace.record("released")
      }
      watcher = try loop.watch(pair.near, for: .readable) { [late] _ in late.touch() }
      _ = consume late
      loop.run(.noWait)
      watcher?.cancel()
      #expect(trace.events == ["released"])
      #expect(watcher?.isActive == false)
    }
  }

  @Test("watch() makes a socket non-blocking, and leaves a pipe and a terminal as they are")  // E1
  func nonBlocking() throws {
    try withLoop { loop in
      let (socket, pipe) = (SocketPair(), SocketPair(pipe: true))
      let terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
      try #require(terminal >= 0)
      for descriptor in [socket.near, pipe.near, pipe.far, terminal] {
        #expect(!isNonBlocking(descriptor))
        let watcher = try loop.watch(descriptor, for: .readable) { _ in }
        #expect(isNonBlocking(descriptor) == (descriptor == socket.near))
        loop.run(.noWait)
        watcher.cancel()
      }
      SocketPair.close(terminal)
    }
  }

  @Test("a socket that is a standard stream keeps its mode, under any number")  // E1, E2
  func standardStream() async {
    await #expect(processExitsWith: .success) {
      try withLoop { loop in
        let (pair, port) = (SocketPair(), loop.awaitedPort)
        let near = pair.near
        dup2(near, 0)
        for descriptor in [0, near] {
          let watcher = try loop.watch(descriptor, for: .writable) { _ in }
          loop.run(.noWait)
          #expect(!isNonBlocking(descriptor))
          watcher.cancel()
        }
        Task(executorPreference: port) {
          try await port.writable(0)
          loopIsDone.increment()
        }
        while loopIsDone.value == 0 { loop.run(.once) }
        #expect(!isNonBlocking(0))
      }
    }
  }

  @Test("a descriptor can be closed as soon as its last watcher is cancelled")  // E1
  func closedAfterCancel() throws {
    try withLoop { loop in
      for _ in 0..<10 {
        let (pair, trace) = (SocketPair(), Trace())
        let other = SocketPair()
        var watcher: DescriptorWatcher?
        watcher = try loop.watch(pair.near, for: .writable) { _ in
          watcher?.cancel()
          trace.record("closed")
          other.replace(pair.near)
          watcher = try? loop.watch(pair.near, for: .writable) { _ in
            trace.record("reused")
            watcher?.cancel()
            loop.stop()
          }
        }
        #expect(loop.runInTime() == .stopped)
        #expect(trace.events == ["closed", "reused"])
      }
    }
  }

  @Test("run() waits for a watcher, unless it rests or does not keep the loop alive")  // E1
  func keepsLoopAlive() throws {
    try withLoop { loop in
      let pair = SocketPair()
      let watcher = try loop.watch(pair.near, for: .readable) { _ in loop.stop() }
      loop.addTimer(after: .milliseconds(1)) { _ in pair.send() }
      #expect(loop.runInTime() == .stopped)
      pair.receive()
      watcher.keepsLoopAlive = false
      #expect(loop.run() == .finished)
      watcher.keepsLoopAlive = true
      watcher.events = []
      #expect(loop.run() == .finished)
      #expect(watcher.isActive)
      watcher.events = .readable
      #expect(loop.run(.noWait) == .ticked)
      watcher.cancel()
    }
  }

  @Test("closing the loop ends its watchers and releases their callbacks")  // E1, L11
  func loopCloses() throws {
    let (released, pair) = (Tally(), SocketPair())
    let loop = try EventLoop()
    let watchers = try (0..<2).map { _ in
      let witness = Witness { released.increment() }
      return try loop.watch(pair.near, for: .writable) { _ in witness.touch() }
    }
    loop.run(.noWait)
    try loop.close()
    #expect(released.value == 2)
    #expect(watchers.allSatisfy { !$0.isActive })
    watchers[0].events = .readable
    watchers[0].cancel()
  }

  @Test("close() also ends the watchers that a deinit adds meanwhile")  // E1, E3, L11
  func addedWhileClosing() async {
    await #expect(processExitsWith: .success) {
      let (loop, pair, trace) = (try EventLoop(), SocketPair(), Trace())
      func late(_ name: String) -> Late {
        Late {
          trace.record(name)
          _ = try? loop.watch(pair.near, for: .writable) { [it = Late { trace.record("new") }] _ in
            it.touch()
          }
          _ = try? loop.onSignal(SIGUSR2) { [it = Late { trace.record("new signal") }] in
            it.touch()
          }
        }
      }
      try loop.watch(pair.near, for: .writable) { [it = late("watcher")] _ in it.touch() }
      try loop.onSignal(SIGUSR2) { [it = late("signal")] in it.touch() }
      try loop.close()
      #expect(
        trace.events.sorted() == ["new", "new", "new signal", "new signal", "signal", "watcher"]
      )
      #expect(Process.isDefault(SIGUSR2))
    }
  }

  @Test("a deinit may cancel a neighbour while the loop closes, which reports no descriptor")  // E1
  func cancelledWhileClosing() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let (loop, pair) = (try EventLoop(), SocketPair())
      var watchers: [DescriptorWatcher] = []
      for _ in 0..<2 {
        let late = Late { for watcher in watchers { watcher.cancel() } }
        watchers.append(try loop.watch(pair.near, for: .readable) { [late] _ in late.touch() })
      }
      loop.run(.noWait)
      try loop.close()
      #expect(watchers.allSatisfy { !$0.isActive })
    }
    #expect(!said(result, "was closed while it was watched"))
  }

  @Test("a stepped loop delivers events of descriptors")  // E1, C6
  func stepped() throws {
    try withSteppedLoop { stepped in
      let pair = SocketPair()
      pair.send()
      let watcher = try stepped.loop.watch(pair.near, for: .readable) { _ in
        stepped.trace.record("readable")
        pair.receive()
      }
      stepped.loop.step()
      stepped.loop.step()
      #expect(stepped.trace.events == ["readable"])
      watcher.cancel()
    }
  }
}

private let loopIsDone = Tally()

private func isNonBlocking(_ descriptor: Int32) -> Bool {
  fcntl(descriptor, F_GETFL) & O_NONBLOCK != 0
}

/// Calls a closure when it is released.
private final class Late {
  private let body: () -> Void

  init(_ body: @escaping () -> Void) { self.body = body }

  deinit { body() }

  func touch() {}
}
