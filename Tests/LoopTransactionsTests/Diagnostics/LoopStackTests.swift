import TestSupport
import Testing

@testable import LoopTransactions

#if canImport(Glibc)
  import Glibc
#endif

/// Collects the reports of a watchdog that takes stacks.
private final class Stacks: Sendable {
  private let all = Locked<[LoopHold]>([])

  /// Returns a watchdog that adds its reports, and waits for a stack for minutes.
  func watchdog(beforeSignal: @escaping @Sendable () -> Void = {}) throws -> LoopWatchdog {
    let stacks = LoopWatchdog.Stacks(patience: 600_000_000_000, beforeSignal: beforeSignal)
    return try LoopWatchdog(threshold: .milliseconds(2), stacks: stacks) { [all] hold in
      all.withLock { $0.append(hold) }
    }
  }

  /// The reports so far of ticks that line `line` of this file holds.
  func reports(of line: Int, isOver: Bool) -> [LoopHold] {
    all.withLock { holds in
      holds.filter { $0.isOver == isOver && "\($0.work)".hasSuffix("Tests.swift:\(line)") }
    }
  }

  /// The number of reports so far of ticks that run, or that are over.
  ///
  /// A test waits for a report of any work. If the thread loses its CPU before
  /// the post, the only report names another piece of work.
  func count(isOver: Bool) -> Int { all.withLock { $0.count { $0.isOver == isOver } } }

  /// The reports so far of ticks that a post holds.
  func reportsOfPosts(isOver: Bool) -> [LoopHold] {
    all.withLock { holds in holds.filter { $0.isOver == isOver && $0.work.kind == .post } }
  }
}

extension LoopTransactions.LoopThread {
  /// Starts a thread whose loop `watchdog` watches.
  fileprivate static func watched(_ watchdog: LoopWatchdog) throws -> LoopTransactions.LoopThread {
    let thread = try LoopTransactions.LoopThread(name: "stacks")
    try thread.port.postAndWait { EventLoop.current?.watchdog = watchdog }
    return thread
  }

  /// The slot that tells whether the loop is in a tick.
  fileprivate func slot() throws -> WorkSlot {
    let found = Locked<WorkSlot?>(nil)
    try port.postAndWait { found.withLock { $0 = WorkSlot.ofThisThread } }
    return try #require(found.withLock { $0 })
  }

  fileprivate func end() throws {
    stop()
    try join()
  }
}

/// Two functions that hold one loop in adjacent ticks.
private final class Neighbours: Sendable {
  private struct State {
    /// Whether the first function should return before its signal.
    var mayEnd = false
    var isFirstRunning = false
    var isSecondRunning = false
    var releases = 0
    /// The number of reports when the first function was released.
    var reports: Int?
    var firstTick: UInt64?
    var secondTick: UInt64?
  }

  private let state = Locked(State())

  /// How often the first function ended between the check of its thread and the
  /// signal.
  var releases: Int { state.withLock { $0.releases } }

  /// Whether the two functions ran in different ticks of the last round.
  var wereApart: Bool {
    state.withLock { $0.firstTick != nil && $0.firstTick != $0.secondTick }
  }

  var isFirstOver: Bool { state.withLock { $0.firstTick != nil && !$0.isFirstRunning } }

  var isSecondOver: Bool { state.withLock { $0.secondTick != nil && !$0.isSecondRunning } }

  /// Begins a round.
  func reset() { state.withLock { $0 = State(releases: $0.releases) } }

  /// Ends the first function, and waits for the second one. The next report is of
  /// the tick for which the watchdog calls this.
  func release(reports: Int) {
    let releases = state.withLock { state in
      guard state.isFirstRunning, !state.mayEnd else { return false }
      state.mayEnd = true
      state.reports = reports
      return true
    }
    guard releases, inTime({ self.state.withLock { $0.isSecondRunning } }) else { return }
    state.withLock { $0.releases += 1 }
  }

  func runFirst(until isReported: () -> Bool) {
    state.withLock {
      $0.isFirstRunning = true
      $0.firstTick = WorkSlot.ofThisThread?.reading?.hold
    }
    Plant.first.run { isReported() || state.withLock { $0.mayEnd } }
    state.withLock { $0.isFirstRunning = false }
  }

  /// Runs until the tick for which `release` was called is reported.
  func runSecond(_ reports: () -> Int) {
    state.withLock {
      $0.isSecondRunning = true
      $0.secondTick = WorkSlot.ofThisThread?.reading?.hold
    }
    Plant.second.run { state.withLock { $0.reports }.map { reports() > $0 } ?? true }
    state.withLock { $0.isSecondRunning = false }
  }
}

@Suite("Watchdog stacks")
struct LoopStackTests {
  @Test("both reports of a tick that computes have the function that holds it")  // X4
  func computing() throws {
    let stacks = Stacks()
    let thread = try LoopTransactions.LoopThread.watched(stacks.watchdog())
    let slot = try thread.slot()
    // On a busy machine, a tick may get too little CPU to count as computing. A stack
    // may end early, in a function of Swift's runtime that is in assembly.
    let line = #line + 11
    func isFound() -> Bool {
      guard let first = stacks.reports(of: line, isOver: false).last else { return false }
      guard first.cause == .computing else { return false }
      let last = stacks.reports(of: line, isOver: true).last
      return Plant.first.isIn(first.stack) && first.stack == last?.stack
    }
    for _ in 1...1000 where !isFound() {
      // A tick is reported once, so each post needs a tick of its own.
      #expect(inTime { slot.reading?.since == 0 })
      let (running, over) = (stacks.count(isOver: false), stacks.count(isOver: true))
      try thread.port.post {
        Plant.first.run { stacks.count(isOver: false) > running }
      }
      #expect(inTime { stacks.count(isOver: true) > over })
    }
    let first = try #require(stacks.reports(of: line, isOver: false).last)
    #expect(first.cause == .computing)
    #expect(Plant.first.isIn(first.stack))
    #expect(!Plant.second.isIn(first.stack))
    #expect(stacks.reports(of: line, isOver: true).last?.stack == first.stack)
    #expect(first.stackDescription().split(separator: "\n").count >= first.stack.count)
    if System.output(of: ["llvm-symbolizer", "--version"]) != nil {
      let lines = Symbols.lines(for: first.stack, within: 600_000)
      #expect(lines.contains { $0.contains(Plant.first.name) })
    }
    try thread.end()
  }

  @Test("a stack has no function of a neighbour that runs when the signal comes")  // X4
  func neighbours() throws {
    let (stacks, neighbours, rounds) = (Stacks(), Neighbours(), Tally())
    let watchdog = try stacks.watchdog {
      if rounds.value.isMultiple(of: 2) { neighbours.release(reports: stacks.count(isOver: false)) }
    }
    let thread = try LoopTransactions.LoopThread.watched(watchdog)
    let slot = try thread.slot()
    // The loop sleeps, so its tick is over.
    func isIdle() -> Bool { slot.reading?.since == 0 }
    let (first, second) = (#line + 6, #line + 11)
    @Sendable func reports(_ line: Int) -> [LoopHold] { stacks.reports(of: line, isOver: false) }
    while neighbours.releases < 10, rounds.value < 400 {
      rounds.increment()
      neighbours.reset()
      let before = stacks.count(isOver: false)
      try thread.port.post {
        neighbours.runFirst { stacks.count(isOver: false) > before }
      }
      #expect(inTime { neighbours.isFirstOver && isIdle() })
      // Posts of one tick run in that tick, so another thread posts the neighbour.
      try thread.port.post { neighbours.runSecond { stacks.count(isOver: false) } }
      #expect(inTime { neighbours.isSecondOver && isIdle() })
      #expect(neighbours.wereApart)
    }
    #expect(neighbours.releases >= 10)
    for hold in reports(first) { #expect(!Plant.second.isIn(hold.stack)) }
    for hold in reports(second) { #expect(!Plant.first.isIn(hold.stack)) }
    // Those that were not released have stacks.
    #expect(reports(first).contains { Plant.first.isIn($0.stack) })
    try thread.end()
  }

  @Test("a tick that is blocked has no stack, and its system call is not interrupted")  // X4
  func blocked() async {
    await #expect(processExitsWith: .success) {
      Process.endInTime()
      let (stacks, pair, result) = (Stacks(), SocketPair(), Locked<Int32?>(nil))
      let thread = try LoopTransactions.LoopThread.watched(stacks.watchdog())
      let slot = try thread.slot()
      let descriptor = pair.near
      var hasBlocked = false
      // On a busy machine, the thread may not have reached the call when the watchdog
      // looks, and then has a stack, or is reported for other work. It is held again.
      for _ in 1...1000 where !hasBlocked {
        // A tick is reported once, so each post needs a tick of its own.
        #expect(inTime { slot.reading?.since == 0 })
        let (running, over) = (stacks.count(isOver: false), stacks.count(isOver: true))
        let posts = stacks.reportsOfPosts(isOver: true).count
        let runs = StackCapture.shared.value.runs
        result.withLock { $0 = nil }
        try thread.port.post {
          var (entry, byte) = (pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0), UInt8(0))
          let count = poll(&entry, 1, -1)
          read(descriptor, &byte, 1)
          result.withLock { $0 = count }
        }
        #expect(inTime { stacks.count(isOver: false) > running })
        pair.send()
        #expect(inTime { stacks.count(isOver: true) > over })
        #expect(inTime { result.withLock { $0 != nil } })
        #expect(result.withLock { $0 } == 1)
        let reports = stacks.reportsOfPosts(isOver: true).dropFirst(posts)
        let isPlain = reports.last?.stack.isEmpty == true
        hasBlocked = isPlain && StackCapture.shared.value.runs == runs
      }
      #expect(hasBlocked)
      try thread.end()
    }
  }

  @Test("without capturesStacks, no handler is installed and no report has a stack")  // X4
  func withoutStacks() async {
    await #expect(processExitsWith: .success) {
      Process.endInTime()
      let holds = Locked<[LoopHold]>([])
      let watchdog = try LoopWatchdog(threshold: .milliseconds(2)) { hold in
        holds.withLock { $0.append(hold) }
      }
      let thread = try LoopTransactions.LoopThread.watched(watchdog)
      try thread.port.postAndWait { Plant.first.run { !holds.withLock { $0.isEmpty } } }
      #expect(
        holds.withLock { $0.allSatisfy { $0.stack.isEmpty && $0.stackDescription().isEmpty } }
      )
      #expect(Process.isDefault(StackCapture.signal))
      try thread.end()
    }
  }

  @Test("a signal that the process uses is refused with its number")  // X4
  func usedSignal() async {
    await #expect(processExitsWith: .success) {
      signal(StackCapture.signal, SIG_IGN)
      let error = #expect(throws: UVError.self) {
        try LoopWatchdog(threshold: .seconds(1), capturesStacks: true) { _ in }
      }
      #expect(error?.name == "EBUSY")
      let text = error?.description ?? ""
      #expect(
        text.contains("LoopWatchdog.init (capturesStacks needs signal \(StackCapture.signal))")
      )
      #expect(text.contains("create the watchdog before other code takes the signal"))
      // The next one works, after the program has released the signal.
      signal(StackCapture.signal, SIG_DFL)
      _ = try LoopWatchdog(threshold: .seconds(1), capturesStacks: true) { _ in }
      _ = try LoopWatchdog(threshold: .seconds(1), capturesStacks: true) { _ in }
      #expect(!Process.isDefault(StackCapture.signal))
    }
  }

  @Test(
    "a forked child has stacks of its own",
    .enabled(if: !Interposed.isSanitized, "ThreadSanitizer starts no thread in a forked child")
  )  // X4, L12
  func forked() async {
    await #expect(processExitsWith: .success) {
      Process.endInTime()
      try StackCapture.shared.value.start()
      let ending = Process.fork {
        // As a new watchdog does.
        guard (try? StackCapture.shared.value.start()) != nil else { _exit(1) }
        let slot = WorkSlot.claim(.loop, name: "child")
        slot?.begin(OwnerWord(.other).rawValue, at: 1)
        guard let slot, let reading = slot.reading else { _exit(2) }
        let target = StackCapture.Target(
          slot,
          System.threadNumber,
          hold: reading.hold,
          since: reading.since
        )
        StackCapture.admitSignal()
        let isFound = Locked(false)
        let other = TestThread {
          let capture = StackCapture.shared.value
          let result = inTime {
            Plant.first.isIn(capture.stack(of: target, within: 600_000_000_000))
          }
          isFound.withLock { $0 = result }
        }
        Plant.first.run { isFound.withLock { $0 } }
        other.join()
      }
      #expect(ending.status == 0)
    }
  }
}
