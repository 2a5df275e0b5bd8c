import CUV

/// Counts the forks that led to this process, and tells whether a trace runs.
///
/// A loop stores the count at its creation. If the count differs later, the
/// loop was inherited through `fork` and its descriptors belong to the parent.
enum ForkGuard {
  /// Returns the generation of this process. The first call starts counting.
  static func install() -> Int32 {
    lt_count_forks()
    return generation
  }

  /// The number of forks that led to this process.
  @inline(__always)
  static var generation: Int32 { Int32(truncatingIfNeeded: word) }

  /// The generation in the low 32 bits, and `trace` in the high 32 bits. So one
  /// comparison finds both rare cases.
  @inline(__always)
  static var word: UInt64 { lt_process_word() }

  /// The number of the running trace, or 0.
  @inline(__always)
  static var trace: UInt32 { UInt32(truncatingIfNeeded: word >> 32) }

  /// Sets `trace`. Calls must not overlap.
  static func setTrace(_ number: UInt32) { lt_set_trace(number) }
}
