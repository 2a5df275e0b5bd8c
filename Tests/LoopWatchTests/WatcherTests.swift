import Glibc
import LoopTransactions
import LoopWatch
import Testing

@Suite("Watcher")
struct WatcherTests {
  /// The waits of this thread, as a test chooses them.
  private final class PlannedLog: WaitLog {
    let waits = Locked<[Wait]>([])
    // The link is `PROCESS/task/THREAD`.
    private let thread = ProcessFile.link("/proc/thread-self")?.split(separator: "/").last

    func look(at now: UInt64) {}

    func threads() -> [RecordedThread] {
      [RecordedThread(entry: 0, process: getpid(), thread: Int32(thread ?? "") ?? 0)]
    }

    func readWaits(entry: Int, from first: UInt64, _ body: (Wait) -> Void) {
      for wait in waits.withLock({ $0 }) where wait.number >= first { body(wait) }
    }

    func expectWait(entry: Int, for source: WaitSource?) {}

    func currentWaitBegan(entry: Int) -> UInt64? { nil }

    func isWaiting(entry: Int, for source: WaitSource?) -> Bool { false }

    func add(from began: UInt64, to ended: UInt64?) {
      waits.withLock {
        let number = UInt64($0.count)
        $0.append(
          Wait(number: number, began: began, ended: ended, source: .epoll(descriptor: 5))
        )
      }
    }
  }

  private var now: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  @Test("a hold that ends while its stack is captured is added with the end of the capture")
  func endsDuringCapture() throws {
    try EventLoop.run { loop in
      let log = PlannedLog()
      let watcher = Watcher(
        on: loop,
        process: getpid(),
        log: log,
        threshold: 20_000_000,
        isFollowing: false
      )
      let began = now - 100_000_000
      log.add(from: began - 1_000_000, to: began)
      // The capture ends on the loop, which does not run meanwhile.
      watcher.look()
      log.add(from: now, to: nil)
      watcher.look()
      #expect(watcher.summary.count == 0)
      watcher.finish()
      #expect(watcher.summary.count == 1)
      #expect(watcher.holds.map(\.hold.began) == [began])
    }
  }
}
