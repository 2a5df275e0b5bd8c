import CUV

/// Counts the forks that led to this process.
///
/// A loop stores the count at its creation. If the count differs later, the
/// loop was inherited through `fork` and its descriptors belong to the parent.
enum ForkGuard {
  /// Returns the generation of this process. The first call starts counting.
  static func install() -> Int {
    lt_count_forks()
    return generation
  }

  /// The number of forks that led to this process.
  @inline(__always)
  static var generation: Int { Int(lt_fork_count()) }
}
