import CTestSupport
import TestSupport
import Testing

@testable import LoopTransactions

#if canImport(Glibc)
  import Glibc
#endif

/// A thread in a tick that runs a function at known addresses.
private final class HeldThread: Sendable {
  private struct State {
    var slot: WorkSlot?
    var thread: UInt32 = 0
    var reading: WorkSlot.Reading?
    var isAsked = false
    var isOver = false
  }

  private let state = Locked(State())
  private let began = Gate()

  /// Starts the tick on a new thread, which runs `body` in it.
  private func start(_ body: @escaping @Sendable (HeldThread) -> Void) -> TestThread {
    let thread = TestThread { [self] in
      StackCapture.admitSignal()
      let slot = WorkSlot.claim(.loop, name: "held")
      slot?.begin(OwnerWord(.other).rawValue, at: 1)
      state.withLock {
        $0.slot = slot
        $0.thread = System.threadNumber
        $0.reading = slot?.reading
      }
      began.open()
      body(self)
      slot?.end(at: 2)
      slot?.free()
    }
    #expect(began.waitInTime())
    return thread
  }

  /// Whether `end` was called. The thread asks in the function that it runs.
  var isOver: Bool {
    state.withLock {
      $0.isAsked = true
      return $0.isOver
    }
  }

  /// Whether the thread is in the function that it runs.
  var isInFunction: Bool { state.withLock { $0.isAsked } }

  func end() { state.withLock { $0.isOver = true } }
  var thread: UInt32 { state.withLock { $0.thread } }

  /// The tick, or one that is `later` ticks later.
  func target(later: UInt64 = 0) throws -> StackCapture.Target {
    let (slot, thread, reading) = state.withLock { ($0.slot, $0.thread, $0.reading) }
    let found = try #require(reading)
    return StackCapture.Target(
      try #require(slot),
      thread,
      hold: found.hold + later,
      since: found.since
    )
  }

  /// Runs `test` while a thread is in a tick that runs `body`.
  static func with(
    _ body: @escaping @Sendable (HeldThread) -> Void,
    _ test: (HeldThread) throws -> Void
  ) throws {
    try StackCapture.shared.value.start()
    let held = HeldThread()
    let thread = held.start(body)
    defer {
      held.end()
      thread.join()
    }
    try test(held)
  }
}

/// Waits for a stack for minutes, so that a busy machine does not matter.
private func stack(
  of target: StackCapture.Target,
  beforeSignal: () -> Void = {}
) -> [UInt] {
  StackCapture.shared.value.stack(of: target, within: inTests, beforeSignal: beforeSignal)
}

private let inTests: UInt64 = 600_000_000_000

@Suite("StackCapture")
struct StackCaptureTests {
  @Test("the stack of a running thread has its function and the caller")  // X4
  func running() throws {
    try HeldThread.with({ held in Plant.first.run { held.isOver } }) { held in
      #expect(inTime { held.isInFunction })
      let target = try held.target()
      var found: [UInt] = []
      // A stack may end early, in a function of Swift's runtime that is in assembly.
      #expect(
        inTime {
          found = stack(of: target)
          return Plant.first.isIn(found)
        }
      )
      #expect(!Plant.second.isIn(found))
      #expect(found.count > 2)
    }
  }

  @Test("a signal for another tick takes no stack")  // X4
  func otherTick() async {
    await #expect(processExitsWith: .success) {
      Process.endInTime()
      try HeldThread.with({ held in Plant.first.run { held.isOver } }) { held in
        let (target, other) = (try held.target(), try held.target(later: 1))
        #expect(inTime { held.isInFunction })
        #expect(stack(of: other).isEmpty)
        #expect(StackCapture.shared.value.runs == 1)
        // The thread may still be in the handler, which blocks the signal.
        #expect(inTime { Plant.first.isIn(stack(of: target)) })
        #expect(StackCapture.shared.value.runs == 2)
      }
    }
  }

  @Test("a blocked thread gets no signal, and its system call continues")  // X4
  func blocked() async {
    await #expect(processExitsWith: .success) {
      Process.endInTime()
      let (pair, result) = (SocketPair(), Locked<Int32?>(nil))
      let near = pair.near
      let call: @Sendable (HeldThread) -> Void = { _ in
        var entry = pollfd(fd: near, events: Int16(POLLIN), revents: 0)
        let count = poll(&entry, 1, -1)
        result.withLock { $0 = count }
      }
      try HeldThread.with(call) { held in
        #expect(inTime { ThreadState.waiting(of: held.thread) == .blocked("poll") })
        let target = try held.target()
        for _ in 0..<100 { #expect(stack(of: target).isEmpty) }
        pair.send()
      }
      // A signal would make it fail with EINTR, in spite of SA_RESTART.
      #expect(result.withLock { $0 } == 1)
      #expect(StackCapture.shared.value.runs == 0)
    }
  }

  @Test("a thread that blocks the signal gets none")  // X4
  func refused() async {
    await #expect(processExitsWith: .success) {
      Process.endInTime()
      let (isBlocked, signal) = (Gate(), StackCapture.signal)
      let body: @Sendable (HeldThread) -> Void = { held in
        ct_block_signal(signal, true)
        isBlocked.open()
        Plant.first.run { held.isOver }
        // A pending signal would come now.
        ct_block_signal(signal, false)
      }
      try HeldThread.with(body) { held in
        #expect(isBlocked.waitInTime())
        let target = try held.target()
        #expect(stack(of: target).isEmpty)
      }
      #expect(StackCapture.shared.value.runs == 0)
    }
  }

  @Test("a signal that arrives after its request has ended takes no stack")  // X4
  func late() async {
    await #expect(processExitsWith: .success) {
      Process.endInTime()
      let signal = StackCapture.signal
      let (mayBlock, isBlocked) = (Locked(false), Gate())
      let (mayUnblock, isUnblocked) = (Gate(), Gate())
      let body: @Sendable (HeldThread) -> Void = { held in
        Plant.first.run { mayBlock.withLock { $0 } }
        ct_block_signal(signal, true)
        isBlocked.open()
        _ = mayUnblock.waitInTime()
        ct_block_signal(signal, false)
        isUnblocked.open()
        Plant.second.run { held.isOver }
      }
      try HeldThread.with(body) { held in
        let (capture, target) = (StackCapture.shared.value, try held.target())
        let stack = capture.stack(of: target, within: 1_000_000) {
          mayBlock.withLock { $0 = true }
          #expect(isBlocked.waitInTime())
        }
        #expect(stack.isEmpty)
        #expect(capture.runs == 0)
        mayUnblock.open()
        #expect(isUnblocked.waitInTime())
        #expect(capture.runs == 1)
        #expect(!capture.isAnswered)
        #expect(inTime { held.isInFunction })
        var later: [UInt] = []
        #expect(
          inTime {
            later = capture.stack(of: target, within: inTests)
            return Plant.second.isIn(later)
          }
        )
        #expect(!Plant.first.isIn(later))
      }
    }
  }

  @Test("the handler allocates nothing, and keeps errno")  // X4
  func allocations() throws {
    let (allocated, error) = (Locked(-1), Locked<Int32>(0))
    let body: @Sendable (HeldThread) -> Void = { held in
      ct_set_errno(77)
      var (before, after) = (-1, 0)
      Plant.first.run {
        after = Interposed.allocations
        if before < 0 { before = after }
        return held.isOver
      }
      error.withLock { $0 = ct_errno() }
      allocated.withLock { [before, after] in $0 = after - before }
    }
    try HeldThread.with(body) { held in
      let target = try held.target()
      #expect(inTime { held.isInFunction })
      for _ in 0..<10 { #expect(inTime { Plant.first.isIn(stack(of: target)) }) }
    }
    if Interposed.isAvailable { #expect(allocated.withLock { $0 } == 0) }
    #expect(error.withLock { $0 } == 77)
  }

  @Test("a signal of another sender, or for a handler that was replaced, has no effect")  // X4
  func strangers() async {
    await #expect(processExitsWith: .success) {
      Process.endInTime()
      try HeldThread.with({ held in Plant.first.run { held.isOver } }) { held in
        let (capture, target) = (StackCapture.shared.value, try held.target())
        Process.raise(StackCapture.signal)
        #expect(capture.runs == 0)
        signal(StackCapture.signal, SIG_IGN)
        #expect(stack(of: target).isEmpty)
        #expect(capture.runs == 0)
      }
    }
  }

  @Test("the status of a thread tells whether it runs and accepts a signal")  // X4
  func status() {
    func status(_ state: String, _ blocked: String) -> String {
      "Name:\ta\nState:\t\(state)\nSigPnd:\t0\nSigBlk:\t\(blocked)\nSigIgn:\tffffffffffffffff\n"
    }
    let none = "0000000000000000"
    #expect(ThreadState.isRunning(status("R (running)", none), accepting: 61))
    #expect(!ThreadState.isRunning(status("S (sleeping)", none), accepting: 61))
    #expect(!ThreadState.isRunning(status("D (disk sleep)", none), accepting: 61))
    #expect(!ThreadState.isRunning(status("R (running)", "1000000000000000"), accepting: 61))
    #expect(ThreadState.isRunning(status("R (running)", "2000000000000000"), accepting: 61))
    #expect(!ThreadState.isRunning(status("R (running)", none), accepting: 0))
    #expect(!ThreadState.isRunning("", accepting: 61))
  }
}
