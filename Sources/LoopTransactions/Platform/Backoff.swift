/// Spins between attempts to acquire a lock, until it is time to block.
///
/// Never yields the CPU. On Linux a yield gives up the rest of the thread's time
/// slice, which takes milliseconds on busy CPUs.
package struct Backoff {
  // 500 pauses take 8 to 12 us on an AMD EPYC, about as long as it takes to block
  // and be woken on one CPU. On other CPUs a pause takes less or more time. Not
  // measured.
  private static let limit = 500

  private var pauses = 0
  private var next = 1
  private let longestPause: Int

  /// Spins for 1, 2, 4 and so on pauses of the CPU, up to `longestPause` at once.
  package init(longestPause: Int) {
    assert(longestPause > 0, "Backoff: longestPause must be at least 1, got \(longestPause)")
    self.longestPause = longestPause
  }

  /// Spins before the next attempt. Returns false if the thread must block
  /// instead.
  package mutating func spin() -> Bool {
    guard pauses < Self.limit else { return false }
    for _ in 0..<next { System.pause() }
    pauses += next
    next = min(next * 2, longestPause)
    return true
  }
}
