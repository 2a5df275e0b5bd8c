import CUV
import Synchronization

/// Counts the forks that led to this process.
///
/// A loop remembers the count it was made at: where it no longer matches, the
/// loop was inherited through `fork`, and its descriptors belong to the parent.
enum ForkGuard {
  // Relaxed everywhere: only the one thread that survived a fork writes, before
  // any other thread of the child exists.
  private static let count = Atomic<Int>(0)

  private static let isInstalled: Bool = {
    // Before the first fork that counts: a child that is forked while another thread makes
    // the counter would wait for that thread, which it does not have.
    _ = generation
    return lt_at_fork_in_child(forkedInChild) == 0
  }()

  /// The generation of this process; the first call starts the counting.
  static func install() -> Int {
    _ = isInstalled
    return generation
  }

  /// Grows by one in the child of each fork.
  @inline(__always)
  static var generation: Int { count.load(ordering: .relaxed) }

  fileprivate static func advance() { count.add(1, ordering: .relaxed) }
}

private func forkedInChild() { ForkGuard.advance() }
