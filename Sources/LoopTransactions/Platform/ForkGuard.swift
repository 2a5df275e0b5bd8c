import CUV

/// Counts the forks that led to this process.
///
/// A loop remembers the count it was made at: where it no longer matches, the
/// loop was inherited through `fork`, and its descriptors belong to the parent.
enum ForkGuard {
  /// The generation of this process; the first call starts the counting.
  static func install() -> Int {
    lt_count_forks()
    return generation
  }

  /// Grows by one in the child of each fork.
  @inline(__always)
  static var generation: Int { Int(lt_fork_count()) }
}
