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
        #expect(!Process.descriptorNames.contains { $0.contains("pidfd") })
        #expect(loop.runInTime() == .finished)
        #expect(trace.events == ["exited(5)"])
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
        let before = Process.openDescriptors
        let watcher = try loop.onExit(of: child) { _ in loop.stop() }
        #expect(watcher.isActive)
        watcher.cancel()
        #expect(!watcher.isActive)
        #expect(Process.openDescriptors == before)
        #expect(loop.run() == .finished)
        let trace = Trace()
        try loop.onExit(of: child) { trace.record("\($0)") }
        #expect(loop.runInTime() == .finished)
        #expect(trace.events == ["exited(5)"])
      }
    }
  }

  @Test("a child whose pidfd cannot be polled throws, and leaves no descriptor open")  // E4
  func unpolled() async {
    await #expect(processExitsWith: .success) {
      try withLoop { loop in
        // Other code polls a closed descriptor, whose number the pidfd gets.
        let (child, pair) = (Process.start("exit 5"), SocketPair())
        let other = RawPoll(pair.near, on: loop.libuvLoop)
        other.start()
        pair.closeNear()
        let before = Process.openDescriptors
        var code: Int32 = 0
        // Repeated, because another thread may hold the number for a moment.
        for _ in 0..<1000 where code == 0 {
          do throws(UVError) { try loop.onExit(of: child) { _ in }.cancel() } catch {
            code = error.code
          }
        }
        #expect(code == UV_EEXIST.rawValue)
        #expect(Process.openDescriptors == before)
        other.close()
        Process.reap(child)
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
