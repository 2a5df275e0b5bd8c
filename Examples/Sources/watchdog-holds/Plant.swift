import CAffinity
import Dispatch
import Foundation
import Glibc
import LoopTransactions
import Synchronization

/// A way to hold a loop for about 0.1 s.
enum Plant: String, CaseIterable, Sendable {
  case busyLoop = "busy loop"
  case sleep = "usleep"
  case read = "blocking read"
  case lock = "lock of another thread"
  case pages = "page faults"
  case nested = "nested loop"
  case transactions = "1,000 transactions"
  case timers = "1,000 timers"
  case competitors = "competitors on its CPU"

  /// The work that holds the loop, its cause, whether it is one piece, and its
  /// stack.
  struct Truth {
    var work: String
    var cause: (LoopHold.Cause) -> Bool
    var isOnePiece = true
    var stack: (String) -> Bool
  }

  /// Holds `loop` in one of its next ticks. Calls `began` and `ended` on the loop
  /// when the hold begins and ends.
  func plant(
    on loop: EventLoop,
    began: @escaping () -> Void,
    ended: @escaping () -> Void
  ) -> Truth {
    let computes: (LoopHold.Cause) -> Bool = { $0 == .computing }
    switch self {
    case .transactions:
      let shapes = (0..<1000).map { Shape($0 == 0 ? began : {}, $0 == 999 ? ended : {}) }
      for shape in shapes { loop.commit(shape, Shape.draw) }
      return Truth(
        work: "transaction Shape.draw",
        cause: computes,
        isOnePiece: false,
        stack: isStack
      )
    case .timers:
      var fired = 0
      let line = #line + 2
      for _ in 0..<1000 {
        loop.addTimer(after: .zero) { _ in
          if fired == 0 { began() }
          fired += 1
          compute(for: .microseconds(100))
          if fired == 1000 { ended() }
        }
      }
      // All are due in the next tick.
      compute(for: .milliseconds(2))
      return Truth(
        work: "timer \(#fileID):\(line)",
        cause: computes,
        isOnePiece: false,
        stack: isStack
      )
    default:
      let line = #line + 1
      loop.post {
        began()
        holdLoop()
        ended()
      }
      return Truth(work: "post \(#fileID):\(line)", cause: isCause, stack: isStack)
    }
  }

  private func isCause(_ cause: LoopHold.Cause) -> Bool {
    switch (self, cause) {
    case (.sleep, .blocked(let call)): call.hasSuffix("nanosleep")
    case (.read, .blocked(let call)): call == "read"
    case (.lock, .blocked(let call)): call == "futex"
    case (.nested, .blocked(let call)): call.hasPrefix("epoll_")
    case (.busyLoop, .computing), (.pages, .computing): true
    case (.competitors, .notScheduled): true
    default: false
    }
  }

  /// Whether the stack has the function that computes, or is empty because the
  /// thread is blocked and gets no signal.
  private func isStack(_ text: String) -> Bool {
    switch self {
    case .busyLoop, .transactions, .timers: text.contains("(compute in")
    case .pages: text.contains("(touchPages in")
    case .sleep, .read, .lock, .nested: text.isEmpty
    // It may run, or wait for its CPU.
    case .competitors: true
    }
  }

  private func holdLoop() {
    switch self {
    case .sleep: usleep(100_000)
    case .read: readLate()
    case .lock: lockLate()
    case .pages: touchPages(for: .milliseconds(100))
    case .nested: runNested(for: .milliseconds(100))
    case .competitors: compete()
    default: compute(for: .milliseconds(100))
    }
  }
}

/// A target of which 1,000 are drawn in one tick.
private final class Shape {
  static let draw = Selector<Shape>("draw") { $0.draw() }
  private let (began, ended): (() -> Void, () -> Void)

  init(_ began: @escaping () -> Void, _ ended: @escaping () -> Void) {
    (self.began, self.ended) = (began, ended)
  }

  private func draw() {
    began()
    compute(for: .microseconds(100))
    ended()
  }
}

private func compute(for duration: Duration) {
  let end = LoopClock.now.advanced(by: duration)
  while LoopClock.now < end {}
}

/// Reads a pipe into which another thread writes late.
private func readLate() {
  var ends: [Int32] = [0, 0]
  guard pipe(&ends) == 0 else { fail("pipe: \(String(cString: strerror(errno)))") }
  let writer = Helper { [end = ends[1]] in
    usleep(100_000)
    _ = write(end, "x", 1)
  }
  var byte: UInt8 = 0
  _ = Glibc.read(ends[0], &byte, 1)
  writer.join()
  for end in ends { close(end) }
}

/// Takes a lock that another thread has.
private func lockLate() {
  let lock = LateLock()
  let owner = Helper { lock.holdLate() }
  lock.waitUntilTaken()
  lock.lock.withLock {}
  owner.join()
}

private final class LateLock: Sendable {
  let lock = NSLock()
  private let isTaken = DispatchSemaphore(value: 0)

  func holdLate() {
    lock.withLock {
      isTaken.signal()
      usleep(100_000)
    }
  }

  func waitUntilTaken() { isTaken.wait() }
}

/// Touches fresh memory, which the system gives page by page.
private func touchPages(for duration: Duration) {
  let (size, page) = (64 << 20, 4096)
  let end = LoopClock.now.advanced(by: duration)
  while LoopClock.now < end {
    let flags = MAP_PRIVATE | MAP_ANONYMOUS
    guard let memory = mmap(nil, size, PROT_READ | PROT_WRITE, flags, -1, 0), memory != MAP_FAILED
    else { fail("mmap: \(String(cString: strerror(errno)))") }
    for offset in stride(from: 0, to: size, by: page) {
      memory.storeBytes(of: 1, toByteOffset: offset, as: UInt8.self)
      if offset.isMultiple(of: 256 * page), LoopClock.now >= end { break }
    }
    munmap(memory, size)
  }
}

/// Runs another loop until its timer fires.
private func runNested(for duration: Duration) {
  do {
    let nested = try EventLoop()
    nested.addTimer(after: duration) { _ in }
    nested.run()
    try nested.close()
  } catch { fail("the nested loop: \(error)") }
}

/// Computes for 20 ms of CPU time on a CPU that five other threads use.
private func compete() {
  var before = ca_allowed()
  let cpu = ca_cpu()
  ca_pin(cpu)
  let isOver = Flag()
  let competitors = (0..<5).map { _ in
    Helper {
      ca_pin(cpu)
      while !isOver.value.load(ordering: .relaxed) {}
    }
  }
  let start = cpuTime()
  while cpuTime() - start < 20_000_000 {}
  isOver.value.store(true, ordering: .relaxed)
  for competitor in competitors { competitor.join() }
  ca_allow(&before)
}

private final class Flag: Sendable { let value = Atomic(false) }

/// The CPU time of this thread, in nanoseconds.
private func cpuTime() -> Int {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return time.tv_sec * 1_000_000_000 + time.tv_nsec
}
