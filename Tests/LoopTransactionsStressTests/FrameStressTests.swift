import LoopTransactions
import LoopTransactionsTesting
import Synchronization
import TestSupport
import Testing

/// For each thread, the number it wrote before its last commit, and the last
/// number that the action read.
private final class Screen: Sendable {
  static let show = Selector<Screen>("stress show") { $0.readAll() }

  // Relaxed: only the commit orders the action's reads after the writes.
  private let written: [Counter]
  private let seen: [Counter]
  private let runCount = Counter()

  private final class Counter: Sendable {
    let value = Atomic(0)
  }

  init(threads: Int) {
    written = (0..<threads).map { _ in Counter() }
    seen = (0..<threads).map { _ in Counter() }
  }

  /// The number of times the action ran.
  var runs: Int { runCount.value.load(ordering: .relaxed) }

  func write(_ number: Int, by thread: Int) {
    written[thread].value.store(number, ordering: .relaxed)
  }

  /// The last number of `thread` that the action read.
  func shown(of thread: Int) -> Int { seen[thread].value.load(ordering: .relaxed) }

  private func readAll() {
    runCount.value.add(1, ordering: .relaxed)
    for (from, to) in zip(written, seen) {
      to.value.store(from.value.load(ordering: .relaxed), ordering: .relaxed)
    }
  }
}

@Suite("Stress: commits of other threads at a clock's next frame", .serialized)
struct FrameStressTests {
  private static let threadCount = 3

  // T11, T6
  @Test("after each commit, an action reads everything written before it, at most once per frame")
  func acknowledged() throws {
    try withLoop { loop in
      let screen = Screen(threads: Self.threadCount)
      let clock = try FrameClock(on: loop, framesPerSecond: 2000)
      let port = loop.awaitedPort
      let show = PortTransaction(screen, Screen.show, on: port, atNextFrameOf: clock)
      let (count, late, ended) = (Workload.count(10_000), Tally(), Tally())
      let threads = (0..<Self.threadCount).map { thread in
        TestThread {
          var generator = SeededGenerator(seed: Workload.seed &+ UInt64(thread))
          for number in 1...count {
            screen.write(number, by: thread)
            try? show.commit()
            guard number == count || generator.next() % 16 == 0 else { continue }
            // This thread does not commit while it waits. A later commit would
            // hide a lost one.
            guard inTime({ screen.shown(of: thread) >= number }) else {
              late.increment()
              break
            }
          }
          if ended.increment() == Self.threadCount { port.stop() }
        }
      }
      let start = loop.now
      // The pair leaves the frame in every other way, except by `cancel`.
      var generator = SeededGenerator(seed: Workload.seed)
      var others = 0
      let timer = loop.addTimer(after: .milliseconds(1), every: .milliseconds(1)) { _ in
        others += 1
        switch generator.next() % 4 {
        case 0: loop.commit(screen, Screen.show)
        case 1: loop.performIfNeeded(screen, Screen.show)
        case 2: loop.commit(screen, Screen.show, atNextFrameOf: clock)
        default: try? show.commit()
        }
      }
      loop.run()
      timer.cancel()
      for thread in threads { thread.join() }
      #expect(late.value == 0, "\(late.value) commits were not performed within a minute")
      #expect((0..<Self.threadCount).allSatisfy { screen.shown(of: $0) == count })
      let frames = Int(start.duration(to: loop.now) / .microseconds(500)) + 1
      #expect(screen.runs <= frames + others, "\(screen.runs) runs in \(frames) frames")
    }
  }

  // T11, L11
  @Test("a closing loop performs every accepted commit, and refuses later commits")
  func closing() throws {
    for round in 0..<Workload.count(1_000) {
      let screen = Screen(threads: Self.threadCount)
      let loop = try EventLoop()
      let clock = try FrameClock(on: loop, framesPerSecond: round % 2 == 0 ? 0.1 : 10_000)
      let port = loop.awaitedPort
      let show = PortTransaction(screen, Screen.show, on: port, atNextFrameOf: clock)
      let accepted = (0..<Self.threadCount).map { _ in Tally() }
      let threads = (0..<Self.threadCount).map { thread in
        let mine = accepted[thread]
        return TestThread {
          for number in 1...10_000 {
            screen.write(number, by: thread)
            do throws(LoopPort.PostError) { try show.commit() } catch { return }
            mine.increment()
          }
        }
      }
      for _ in 0..<round % 3 { loop.run(.noWait) }
      if round % 5 == 0 { clock.cancel() }
      try loop.close()
      for thread in threads { thread.join() }
      let isShown = (0..<Self.threadCount).allSatisfy {
        screen.shown(of: $0) >= accepted[$0].value
      }
      #expect(isShown, "round \(round)")
      guard isShown else { break }
    }
  }
}
