import LoopTransactions
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A thread that posts to a loop on an absolute schedule, like a finger that
/// moves on a screen. It does not wait for the loop, so every beat during a
/// stall is counted as late.
final class Heartbeat: @unchecked Sendable {
  // @unchecked: `delays` is accessed on the loop only, by the posted closures
  // and by readers. `thread` is accessed only by the thread that starts and
  // stops the heartbeat. All other properties are immutable or atomic.

  /// The delay of each beat, from the time when it was due to its delivery, in
  /// ns. Loop only.
  private(set) var delays: [UInt64] = []

  private let port: LoopPort
  private let period: UInt64
  private let isStopped = Atomic(false)
  private var thread = pthread_t(bitPattern: 0)

  /// Starts a thread that posts `perSecond` beats per second.
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

  /// Discards the recorded delays. Call on the loop.
  func forget() { delays.removeAll(keepingCapacity: true) }

  /// Ends the thread.
  func stop() {
    // Relaxed: the flag publishes no other data, and `pthread_join` orders all
    // other accesses.
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
      // try?: a closed loop does not need further beats.
      try? port.post { [self] in delays.append(System.nanoseconds - stamp) }
      due += period
    }
  }
}

// This function is at file scope because C calls it on a new thread.
private func beatUntilStopped(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let context else { return nil }
  Unmanaged<Heartbeat>.fromOpaque(context).takeRetainedValue().beat()
  return nil
}

extension Heartbeat: CustomReflectable {
  /// An empty mirror, because reflection traps at an atomic.
  var customMirror: Mirror { Mirror(self, children: [:]) }
}
