internal import CLoopWatch
package import LoopTransactions
import LoopbenchKit

/// Watches the loops of a process and collects their late holds.
///
/// Loop only.
package final class Watcher {
  package let process: Int32
  package private(set) var summary: WatchSummary
  /// The last late holds, oldest first.
  package private(set) var holds: [LateHold] = []
  /// Called for each late hold when it has ended.
  package var onHold: (LateHold) -> Void = { _ in }
  /// Whether the ticks of the loops are kept, for `busiest`.
  package var keepsTicks = false
  /// The loop with the longest time in the ticks that were kept.
  package private(set) var busiest: (thread: String, ticks: [Hold]) = ("", [])

  private let log: any WaitLog
  private let threshold: UInt64
  private let machine: MachineFiles
  private(set) var began: UInt64
  private var ticksBefore: UInt64 = 0
  private var ownBefore: UInt64
  private var threads: [Int: WatchedThread] = [:]
  private var recorded: [RecordedThread] = []
  private let captures: StackCaptures
  private var users = CPUUsers()
  private var usersReadAt: UInt64 = 0
  private var epollsReadAt: UInt64
  /// True if a hold has waited for a CPU since the users were read.
  private var hasWaited = true
  private var endedTicks: UInt64 = 0
  private var endedLost: UInt64 = 0
  let isFollowing: Bool
  /// The other processes that waited.
  package private(set) var others: Set<Int32> = []

  /// The number of late holds that are kept.
  package static let mostHolds = 10_000

  /// - Parameters:
  ///   - loop: The loop on which `look()` is called, every `period`.
  ///   - threshold: In ns.
  ///   - isFollowing: Whether the children of the process are watched, too.
  package init(
    on loop: EventLoop,
    process: Int32,
    log: any WaitLog,
    threshold: UInt64,
    isFollowing: Bool
  ) {
    (self.process, self.log, self.threshold) = (process, log, threshold)
    self.isFollowing = isFollowing
    captures = StackCaptures(on: loop)
    summary = WatchSummary(threshold: threshold)
    machine = MachineFiles(process: process)
    (began, ownBefore) = (lw_now(), lw_own_time())
    epollsReadAt = began
  }

  /// The time between two calls of `look()`, in ns.
  package var period: UInt64 {
    // A sample tells the begin of a hold to half of the period.
    min(max(threshold / (isSampled ? 6 : 4), 1_000_000), 5_000_000)
  }

  /// Adds the holds whose stacks are being captured and those that have not ended. Removes
  /// the files that the program wrote because it was started for a watch.
  package func finish() {
    look()
    captures.finish()
    summary.possibleHold = possibleHold
    for thread in threads.values { endHold(of: thread) }
    guard !isSampled else { return }
    for process in captures.processes { StackReader.removePerfMap(of: process) }
  }

  /// True if waits are sampled and not recorded.
  package var isSampled: Bool { sampler != nil }

  var sampler: WaitSampler? { log as? WaitSampler }

  /// True if a loop has been found.
  package var hasLoop: Bool { threads.values.contains { $0.tracker.isLoop } }

  /// The CPU time that this process has used for the watch, in ns.
  var ownTime: UInt64 { lw_own_time().since(ownBefore) }

  /// Forgets the late holds so far.
  package func reset() {
    summary = WatchSummary(threshold: threshold)
    holds = []
    (began, ownBefore, ticksBefore) = (lw_now(), lw_own_time(), ticks)
  }

  private var ticks: UInt64 { endedTicks + threads.values.reduce(0) { $0 + $1.loopTicks } }

  /// Reads what the program's threads have recorded, and captures the stacks of those
  /// that hold their loop.
  package func look() {
    let now = lw_now()
    readUsers(now)
    findThreads(now)
    if isSampled { findHeldThread(now) }
    for (entry, thread) in threads {
      advance(thread)
      inspect(thread, entry)
    }
    summary.length = lw_now() - began
    summary.ticks = ticks - ticksBefore
    summary.lost = endedLost + threads.values.reduce(0) { $0 + $1.tracker.lost }
  }
}

extension Watcher {
  /// Reads the waits of a thread since the last call.
  private func advance(_ thread: WatchedThread) {
    let now = lw_now()
    let late = thread.advance(
      log,
      now: now,
      threshold: threshold,
      lengths: &summary.lengths
    ) { usage, isLate in
      machine.read(at: now, isUrgent: isLate)
      (usage.throttled, usage.stolen) = (machine.throttled, machine.stolen)
    }
    for ended in late { finish(ended, thread) }
  }

  /// True for a hold in which the thread slept and no function of the program is known to
  /// have run, if the thread polls by turns with others.
  private func mayBeParked(_ ended: WatchedThread.EndedHold, _ thread: WatchedThread) -> Bool {
    let stacks = ended.captures.map(\.stack)
    guard !stacks.contains(where: { $0.contains { $0.role == .program } }) else { return false }
    guard [.unexplained, .blocked].contains(ended.parts.main) else { return false }
    return pollsByTurns(thread)
  }

  /// True if other threads of the process wait for the same source.
  private func pollsByTurns(_ thread: WatchedThread) -> Bool {
    threads.values.contains {
      $0 !== thread && $0.recorded.process == thread.recorded.process
        && $0.tracker.source == thread.tracker.source
    }
  }

  private func findThreads(_ now: UInt64) {
    log.look(at: now)
    let recorded = log.threads()
    guard recorded != self.recorded else { return }
    self.recorded = recorded
    let current = Dictionary(uniqueKeysWithValues: recorded.map { ($0.entry, $0) })
    for (entry, thread) in threads where current[entry] != thread.recorded {
      // The waits of a thread that has ended remain until another thread has its entry.
      if current[entry] == nil { advance(thread) }
      endHold(of: thread)
      endedTicks += thread.loopTicks
      endedLost += thread.tracker.lost
      keepBusiest(thread)
      threads[entry] = nil
    }
    for one in recorded where threads[one.entry] == nil {
      if one.process != process { others.insert(one.process) }
      guard isFollowing || one.process == process else { continue }
      machine.findGroup()
      threads[one.entry] = WatchedThread(one, keepsTicks: keepsTicks)
      captures.open(one.process)
    }
  }

  /// Begins a hold of the first thread if it has not waited since the watch began, and no
  /// other thread waits for an epoll descriptor of the process.
  private func findHeldThread(_ now: UInt64) {
    // 1 s: a thread that begins to wait is found later.
    guard now.since(epollsReadAt) >= 1_000_000_000, let thread = threads[Int(process)] else {
      return
    }
    guard thread.tracker.source == nil, thread.tracker.heldSince == nil else { return }
    epollsReadAt = now
    let known = threads.values.compactMap(\.tracker.source)
    let epolls = ProcessFile.epolls(of: process)
    if epolls.contains(where: { !known.contains(.epoll(descriptor: $0)) }) {
      thread.assumeHold(since: began)
    }
  }

  private func keepBusiest(_ thread: WatchedThread) {
    guard let ticks = thread.ticks, thread.tracker.isLoop else { return }
    let time = { (ticks: [Hold]) in ticks.reduce(0) { $0 + $1.length } }
    if time(ticks) > time(busiest.ticks) { busiest = (thread.name, ticks) }
  }

  /// Finds the busiest loop.
  package func findBusiest() { for thread in threads.values { keepBusiest(thread) } }

  /// Reads at most once per second, because the kernel counts in steps of 10 ms, and only
  /// if a hold waited for a CPU, because the machine may have thousands of processes.
  private func readUsers(_ now: UInt64) {
    guard now - usersReadAt >= 1_000_000_000 else { return }
    usersReadAt = now
    machine.findGroup()
    guard hasWaited else { return }
    hasWaited = false
    users.read(at: now, except: [process, lw_process()])
    summary.neighbours = neighbours
  }

  /// Observes the hold of a thread that has lasted for a period or longer. From half of
  /// the threshold on, captures its stack and expects its end.
  private func inspect(_ thread: WatchedThread, _ entry: Int) {
    guard let open = thread.open else {
      log.expectWait(entry: entry, for: nil)
      return
    }
    let now = lw_now()
    let age = now.since(open.began)
    guard age >= period else { return }
    // Not at each look if the threshold or the hold is long, because it costs more.
    let isDue = age >= max(period, threshold / 8) * UInt64(open.observations.nextDue)
    if isDue, !thread.observe() { return endHold(of: thread) }
    if park(thread) { return }
    guard age >= threshold / 2,
      // A capture now may be of a tick that is short, and stop a busy loop in vain.
      log.expectWait(entry: entry, for: thread.tracker.source),
      age >= threshold / 2 * UInt64(open.captures.nextDue)
    else { return }
    capture(thread, entry)
  }

  /// Ends the hold of a thread that waits for other threads of its runtime. Returns false
  /// if it does not.
  private func park(_ thread: WatchedThread) -> Bool {
    let hold = thread.parkIfIdle(threshold: threshold, lengths: &summary.lengths)
    if let hold { add(hold, of: thread) }
    return thread.open == nil
  }

  /// Ends the hold of a thread that does not wait until the watch, the thread or its loop
  /// ends.
  private func endHold(of thread: WatchedThread) {
    let time = thread.heldUntil(lw_now())
    let hold = thread.endHold(at: time, threshold: threshold, lengths: &summary.lengths)
    if let hold, thread.tracker.isLoop { finish(hold, thread) }
  }

  private func capture(_ thread: WatchedThread, _ entry: Int) {
    guard let open = thread.open, thread.captured == nil else { return }
    let (log, source, stoppedAt) = (log, thread.tracker.source, thread.stoppedAt)
    let observation = open.observations.elements.last
    thread.captured = open.began
    captures.capture(
      thread.recorded,
      waitBegan: { log.currentWaitBegan(entry: entry).map { max($0, stoppedAt) } },
      isWaiting: { log.isWaiting(entry: entry, for: source) },
      completion: { [self] in add($0, to: thread, after: observation) }
    )
  }

  private func add(
    _ captured: StackCaptures.Captured?,
    to thread: WatchedThread,
    after observation: Observation?
  ) {
    guard let began = thread.captured else { return }
    thread.captured = nil
    if let captured {
      thread.stoppedAt = captured.ended
      // Another hold may have begun if the capture waited until symbols were read.
      var isAsked = false
      thread.changeHold(at: captured.began) { hold in
        isAsked = hold.began == began
        hold.add(captured, after: isAsked ? observation : nil)
      }
      if isAsked, case .stack(let frames) = captured.outcome {
        learn(frames, thread, observation)
      }
    }
    if let ended = thread.unfinished {
      thread.unfinished = nil
      finish(ended, thread)
    } else {
      _ = park(thread)
    }
  }

  /// Learns where the thread waits for other threads. The place tells later, without a
  /// stack.
  private func learn(
    _ frames: [StackFrame],
    _ thread: WatchedThread,
    _ observation: Observation?
  ) {
    if FrameRoles.isParked(frames, isHelper: thread.isHelper) {
      thread.learnParking(at: observation?.lockPlace, isCertain: true)
    } else if pollsByTurns(thread), !FrameRoles.hasNames(frames) {
      thread.learnParking(at: observation?.lockPlace, isCertain: false)
    }
  }

  /// Adds a hold that ended, when the capture of its stack is complete.
  private func finish(_ ended: WatchedThread.EndedHold, _ thread: WatchedThread) {
    guard thread.captured != ended.open.began else { return thread.unfinished = ended }
    if !mayBeParked(ended, thread) { add(ended, of: thread) }
  }
}

extension Watcher {
  /// The summary, with the holds that have not ended.
  package var liveSummary: WatchSummary {
    var summary = summary
    let now = lw_now()
    for thread in threads.values where thread.tracker.isLoop {
      guard let ended = thread.openHold(at: now), ended.hold.length >= threshold else { continue }
      guard !mayBeParked(ended, thread) else { continue }
      var late = late(ended, of: thread)
      late.isOpen = true
      summary.add(late)
    }
    summary.possibleHold = possibleHold
    return summary
  }

  /// The hold of a thread that has not waited since the watch began, in words.
  private var possibleHold: String? {
    for thread in threads.values where thread.tracker.source == nil {
      guard let hold = thread.openHold(at: lw_now()) else { continue }
      let late = late(hold, of: thread)
      let main = late.parts.main
      // With a function for each cause.
      let description = late.description(of: main == .blocked ? .blocked : .running)
      let words = [main.rawValue, description]
      return "one loop may be held since before the watch began: "
        + words.joined(separator: "  ").printable
    }
    return nil
  }

  private func late(_ ended: WatchedThread.EndedHold, of thread: WatchedThread) -> LateHold {
    var late = LateHold(
      hold: ended.hold,
      parts: ended.parts,
      thread: thread.name,
      process: thread.recorded.process
    )
    late.captures = ended.captures
    let within = ended.open.observations.elements.filter { $0.time <= ended.hold.ended }
    late.reason = within.compactMap(\.reason).mostFrequent
    late.quota = machine.quota.map { "cgroup quota of \(Decimals.shortest($0)) CPUs" }
    return late
  }

  private func add(_ ended: WatchedThread.EndedHold, of thread: WatchedThread) {
    let late = late(ended, of: thread)
    summary.add(late)
    hasWaited = hasWaited || late.parts[.waiting] > 0
    if holds.count == Self.mostHolds { holds.removeFirst(Self.mostHolds / 10) }
    holds.append(late)
    onHold(late)
  }

  /// `2 CPUs; ffmpeg used 1.8`: the processes that used most of the CPUs since the
  /// watch began.
  package var neighbours: String {
    let cpus = "\(lw_cpus()) CPUs"
    let users = users.users.prefix(2).filter { $0.cpus >= 0.05 }
    guard !users.isEmpty else { return cpus }
    let used = users.map { "\($0.name) used \(Decimals.text($0.cpus, digits: 1))" }
    return "\(cpus); \(used.joined(separator: ", "))"
  }

  /// The threads that were stopped.
  var stops: StackCaptures.Stops { captures.stops }

  /// Why stacks cannot be captured, and what to do.
  var stackError: String? { captures.error }

  /// Why pieces of work have no names, and what to do.
  var workProblem: String? { captures.workProblem }
}

extension WatchedThread {
  /// The ticks of the thread's loop; 0 if it runs none.
  fileprivate var loopTicks: UInt64 { tracker.isLoop ? tracker.ticks : 0 }
}
