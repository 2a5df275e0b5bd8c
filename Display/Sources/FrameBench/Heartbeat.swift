import LoopTransactions
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A thread that posts to a loop on an absolute schedule, as a finger does: it waits for
/// nobody, so that a loop that stalls is late for all that came meanwhile.
final class Heartbeat: @unchecked Sendable {
  // @unchecked: `delays` is touched by what is posted, on the loop, and read there;
  // `thread` by who starts and stops it; the rest does not change, or is atomic.

  /// How late each beat was delivered, from when it was due, in ns. On the loop only.
  private(set) var delays: [UInt64] = []

  private let port: LoopPort
  private let period: UInt64
  private let isStopped = Atomic(false)
  private var thread = pthread_t(bitPattern: 0)

  /// Begins to beat so many times a second.
  init(_ port: LoopPort, perSecond: UInt64 = 240) {
    self.port = port
    period = 1_000_000_000 / perSecond
    delays.reserveCapacity(1 << 14)
    let context = Unmanaged.passRetained(self).toOpaque()
    var thread = pthread_t(bitPattern: 0)
    guard pthread_create(&thread, nil, beatUntilStopped, context) == 0 else {
      Unmanaged<Heartbeat>.fromOpaque(context).release()
      return
    }
    self.thread = thread
  }

  /// Forgets what was recorded. On the loop.
  func forget() { delays.removeAll(keepingCapacity: true) }

  /// Ends the thread.
  func stop() {
    // Relaxed: nothing else is handed over by it; joining orders the rest.
    isStopped.store(true, ordering: .relaxed)
    if thread != pthread_t(bitPattern: 0) { pthread_join(thread, nil) }
    thread = pthread_t(bitPattern: 0)
  }

  fileprivate func beat() {
    var due = System.nanoseconds + period
    while !isStopped.load(ordering: .relaxed) {
      var time = timespec(tv_sec: Int(due / 1_000_000_000), tv_nsec: Int(due % 1_000_000_000))
      clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil)
      let stamp = due
      // try?: a loop that is closed needs no more beats.
      try? port.post { [self] in delays.append(System.nanoseconds - stamp) }
      due += period
    }
  }
}

// File scope: C calls it on a thread of its own.
private func beatUntilStopped(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let context else { return nil }
  Unmanaged<Heartbeat>.fromOpaque(context).takeRetainedValue().beat()
  return nil
}

extension Heartbeat: CustomReflectable {
  /// Empty: reflection traps at an atomic.
  var customMirror: Mirror { Mirror(self, children: [:]) }
}
