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

@Suite("ChildWatcher", .serialized)
struct ChildWatcherTests {
  @Test("the status of a child is delivered on the loop, once")  // E4
  func statuses() async {
    await #expect(processExitsWith: .success) { try deliversStatuses(usesSignal: false) }
  }

  @Test("the status of a child is delivered without pidfds too")  // E4
  func statusesBySignal() async {
    await #expect(processExitsWith: .success) { try deliversStatuses(usesSignal: true) }
  }

  @Test("the status of a child is delivered if its pidfd cannot be polled")  // E4
  func statusesByUnpollableDescriptor() async {
    await #expect(processExitsWith: .success) {
      guard Interposed.isAvailable else { return }
      Process.unblock(SIGCHLD)
      try withLoop { loop in
        let (child, trace) = (Process.start("exit 5"), Trace())
        try Interposed.refusingWatches(1) {
          _ = try loop.onExit(of: child) { trace.record("\($0)") }
        }
        #expect(loop.runInTime() == .finished)
        #expect(trace.events == ["exited(5)"])
        #expect(pidfds == [])
      }
    }
  }

  @Test("a child that ended before it was watched is delivered", arguments: [false, true])  // E4
  func endedBefore(usesSignal: Bool) async {
    await #expect(processExitsWith: .success) { [usesSignal] in
      try withLoop { loop in
        let (child, trace) = (Process.start("exit 5"), Trace())
        var information = siginfo_t()
        waitid(P_PID, id_t(child), &information, WEXITED | WNOWAIT)
        _ = try loop.onExit(of: child, usesSignal: usesSignal) { trace.record("\($0)") }
        #expect(trace.events == [])
        #expect(loop.runInTime() == .finished)
        #expect(trace.events == ["exited(5)"])
      }
    }
  }

  @Test("of two watchers of a child, one gets the status", arguments: [false, true])  // E4
  func twice(usesSignal: Bool) async {
    await #expect(processExitsWith: .success) { [usesSignal] in
      Process.unblock(SIGCHLD)
      try withLoop { loop in
        let (child, trace) = (Process.start("exit 5"), Trace())
        for _ in 0..<2 {
          _ = try loop.onExit(of: child, usesSignal: usesSignal) { trace.record("\($0)") }
        }
        #expect(loop.runInTime() == .finished)
        #expect(trace.events.sorted() == ["exited(5)", "unknown"])
      }
    }
  }

  @Test("a process without a free descriptor gets an error, and can watch the child later")  // E4
  func noDescriptors() async {
    await #expect(processExitsWith: .success) {
      try withLoop { loop in
        let (child, trace) = (Process.start("exit 5"), Trace())
        let held = try loop.onExit(of: child) { _ in }
        held.cancel()
        Process.limitDescriptors(to: 0)
        #expect(throws: UVError(code: UV_EMFILE.rawValue, operation: "EventLoop.onExit")) {
          try loop.onExit(of: child) { _ in }
        }
        Process.limitDescriptors(to: 1)
        try loop.onExit(of: child) { trace.record("\($0)") }
        #expect(loop.runInTime() == .finished)
        #expect(trace.events == ["exited(5)"])
      }
    }
  }

  @Test("a cancelled watcher does not reap its child, and closes its descriptor")  // E4
  func cancelled() async {
    await #expect(processExitsWith: .success) {
      try withLoop { loop in
        let child = Process.start("exit 5")
        let watcher = try loop.onExit(of: child) { _ in loop.stop() }
        #expect(watcher.isActive)
        #expect(!pidfds.isEmpty)
        watcher.cancel()
        #expect(!watcher.isActive)
        #expect(pidfds == [])
        #expect(loop.run() == .finished)
        let trace = Trace()
        try loop.onExit(of: child) { trace.record("\($0)") }
        #expect(loop.runInTime() == .finished)
        #expect(trace.events == ["exited(5)"])
      }
    }
  }

  @Test("a child that other code waited for has an unknown status")  // E4
  func stolen() async {
    await #expect(processExitsWith: .success) {
      try withLoop { loop in
        let (child, trace) = (Process.start("exit 5"), Trace())
        try loop.onExit(of: child) { trace.record("\($0)") }
        var status: Int32 = 0
        waitpid(child, &status, 0)
        #expect(loop.runInTime() == .finished)
        #expect(trace.events == ["unknown"])
      }
    }
  }

  @Test(
    "a child that this process traces has not ended when it stops",
    arguments: [false, true]
  )  // E4
  func traced(usesSignal: Bool) async {
    await #expect(processExitsWith: .success) { [usesSignal] in
      Process.unblock(SIGCHLD)
      try withLoop { loop in
        let (child, trace) = (Process.start("exec sleep 600"), Trace())
        _ = try loop.onExit(of: child, usesSignal: usesSignal) { trace.record("\($0)") }
        // The system sends SIGCHLD for the stop.
        // Some containers do not permit it.
        guard Process.trace(child) else { return _ = kill(child, SIGKILL) }
        for _ in 0..<3 { loop.run(.noWait) }
        #expect(trace.events == [])
        Process.endTrace(of: child)
        loop.run(.noWait)
        kill(child, SIGKILL)
        #expect(loop.runInTime() == .finished)
        #expect(trace.events == ["signalled(9)"])
      }
    }
  }

  @Test(
    "a watcher takes no status from another child with the same number",
    .enabled(if: Process.canChooseIdentifiers, "a test may not choose a child's number here"),
    arguments: ["polled", "refused", "closed"],
    [nil, 7 as Int32?]
  )  // E4
  func reusedNumber(pidfd: String, status: Int32?) async {
    await #expect(processExitsWith: .success) { [pidfd, status] in
      guard pidfd != "refused" || Interposed.isAvailable else { return }
      Process.unblock(SIGCHLD)
      try withLoop { loop in
        let (child, trace) = (Process.start("exec sleep 600"), Trace())
        try Interposed.refusingWatches(pidfd == "refused" ? 1 : 0) {
          _ = try loop.onExit(of: child) { trace.record("\($0)") }
        }
        loop.run(.noWait)
        if pidfd == "closed" { closePidfds() }
        kill(child, SIGKILL)
        Process.reap(child)
        #expect(Process.start(as: child, exiting: status))
        var information = siginfo_t()
        if status != nil { waitid(P_PID, id_t(child), &information, WEXITED | WNOWAIT) }
        // A timer of 0 ms is due in one of the next ticks.
        let isTold = inTime {
          loop.run(.noWait)
          return !trace.events.isEmpty
        }
        #expect(isTold)
        #expect(trace.events == ["unknown"])
        kill(child, SIGKILL)
        var result: Int32 = 0
        #expect(waitpid(child, &result, 0) == child)
        #expect(result == status.map { $0 << 8 } ?? SIGKILL)
      }
    }
  }

  @Test(
    "children's statuses arrive on several loops although other code closed the pidfds",
    arguments: [false, true]
  )  // E4
  func closedDescriptors(isPolled: Bool) async {
    await #expect(processExitsWith: .success) { [isPolled] in
      Process.unblock(SIGCHLD)
      let (loops, trace) = (try (0..<2).map { _ in try EventLoop() }, Trace())
      var children: [Int32] = []
      for number in 0..<4 {
        let (child, loop) = (Process.start("exec sleep 600"), loops[number % 2])
        children.append(child)
        try loop.onExit(of: child) { trace.record("\(number) \($0)") }
        if isPolled { loop.run(.noWait) }
      }
      closePidfds()
      for loop in loops { loop.run(.noWait) }
      #expect(trace.events == [])
      for number in [2, 1, 0, 3] {
        kill(children[number], SIGKILL)
        while trace.events.last?.hasPrefix("\(number)") != true { loops[number % 2].run(.once) }
      }
      #expect(trace.events == [2, 1, 0, 3].map { "\($0) signalled(9)" })
      for loop in loops {
        #expect(loop.run() == .finished)
        try loop.close()
      }
      #expect(pidfds == [])
      #expect(Process.isDefault(SIGCHLD))
    }
  }

  @Test(
    "a pidfd whose number became another file is neither reaped by nor closed",
    arguments: [false, true]
  )  // E4
  func reusedDescriptor(isWatched: Bool) async {
    await #expect(processExitsWith: .success) { [isWatched] in
      Process.unblock(SIGCHLD)
      try withLoop { loop in
        let (child, trace, pair) = (Process.start("exec sleep 600"), Trace(), SocketPair())
        try loop.onExit(of: child) { trace.record("\($0)") }
        loop.run(.noWait)
        let reused = pidfds
        #expect(!reused.isEmpty)
        for descriptor in reused { dup2(pair.near, descriptor) }
        for descriptor in reused where isWatched {
          let watcher = try loop.watch(descriptor, for: .readable) { _ in trace.record("socket") }
          watcher.keepsLoopAlive = false
        }
        loop.run(.noWait)
        kill(child, SIGKILL)
        #expect(loop.runInTime() == .finished)
        #expect(trace.events == ["signalled(9)"])
        for descriptor in reused { #expect(close(descriptor) == 0) }
      }
    }
  }

  @Test("a pidfd whose number became another child's is not taken for it")  // E4
  func swappedDescriptor() async {
    await #expect(processExitsWith: .success) {
      Process.unblock(SIGCHLD)
      try withLoop { loop in
        let (first, second, trace) = (
          Process.start("exec sleep 600"), Process.start("exit 5"), Trace()
        )
        try loop.onExit(of: first) { trace.record("first \($0)") }
        let own = pidfds
        try loop.onExit(of: second) { trace.record("second \($0)") }
        let other = try #require(pidfds.first { !own.contains($0) })
        for descriptor in own { dup2(other, descriptor) }
        while trace.events.isEmpty { loop.run(.once) }
        kill(first, SIGKILL)
        #expect(loop.runInTime() == .finished)
        #expect(trace.events == ["second exited(5)", "first signalled(9)"])
        for descriptor in own { #expect(close(descriptor) == 0) }
      }
    }
  }

  @Test(
    "SIGCHLD stays with other code that handles it, ignores it or has its children reaped",
    arguments: [("handled", "signalled(9)"), ("ignored", "unknown"), ("not waited for", "unknown")]
  )  // E4
  func ownDisposition(name: String, status: String) async {
    await #expect(processExitsWith: .success) { [name, status] in
      var own = sigaction()
      own.__sigaction_handler.sa_handler = name == "ignored" ? SIG_IGN : SIG_DFL
      if name == "handled" { own.__sigaction_handler.sa_handler = { _ in } }
      if name == "not waited for" { own.sa_flags = SA_NOCLDWAIT }
      sigaction(SIGCHLD, &own, nil)
      let before = (Process.handler(of: SIGCHLD), Process.flags(of: SIGCHLD))
      try withLoop { loop in
        let (child, trace) = (Process.start("exec sleep 600"), Trace())
        try loop.onExit(of: child) { trace.record("\($0)") }
        #expect((Process.handler(of: SIGCHLD), Process.flags(of: SIGCHLD)) == before)
        kill(child, SIGKILL)
        #expect(loop.runInTime() == .finished)
        #expect(trace.events == [status])
      }
      #expect((Process.handler(of: SIGCHLD), Process.flags(of: SIGCHLD)) == before)
    }
  }

  @Test("closing the loop ends a watcher")  // E4, L11
  func loopCloses() async {
    await #expect(processExitsWith: .success) {
      let released = Tally()
      let loop = try EventLoop()
      let witness = Witness { released.increment() }
      let before = Process.openDescriptors
      let watcher = try loop.onExit(of: Process.start("exit 0")) { [witness] _ in witness.touch() }
      try loop.close()
      #expect(!watcher.isActive)
      #expect(Process.openDescriptors < before)
    }
  }

  @Test("a process that is not a child throws")  // E4
  func refused() throws {
    try withLoop { loop in
      for (process, code) in [(getppid(), UV_ESRCH), (0, UV_EINVAL), (-1, UV_EINVAL)] {
        #expect(throws: UVError(code: code.rawValue, operation: "EventLoop.onExit")) {
          try loop.onExit(of: process) { _ in }
        }
      }
      #expect(loop.run() == .finished)
    }
  }
}

/// The numbers of the open pidfds, in ascending order.
private var pidfds: [Int32] {
  Process.descriptorNames.filter { $0.contains("pidfd") }.compactMap { name in
    name.split(separator: ":").first.flatMap { Int32($0) }
  }
}

private func closePidfds() { for descriptor in pidfds { close(descriptor) } }

private func deliversStatuses(usesSignal: Bool) throws {
  Process.unblock(SIGCHLD)
  try withLoop { loop in
    let trace = Trace()
    let children = [("quick", Process.start("exit 3")), ("killed", Process.start("kill -9 $$"))]
    for (name, child) in children {
      _ = try loop.onExit(of: child, usesSignal: usesSignal) { trace.record("\(name) \($0)") }
    }
    #expect(trace.events == [])
    #expect(loop.runInTime() == .finished)
    #expect(trace.events.sorted() == ["killed signalled(9)", "quick exited(3)"])
    #expect(throws: UVError(code: UV_ESRCH.rawValue, operation: "EventLoop.onExit")) {
      try loop.onExit(of: children[0].1) { _ in }
    }
  }
}
