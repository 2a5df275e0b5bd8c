import LoopTransactions
import LoopTransactionsTesting
import TestSupport

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The amount of work in the stress tests and the random seed. Both are fixed,
/// so that a failure can be repeated.
enum Workload {
  /// The factor for the amount of work, from the environment variable
  /// `LT_STRESS_SCALE`.
  static let scale = number("LT_STRESS_SCALE").map { max($0, 0.001) } ?? 1

  /// The seed of the random numbers, from the environment variable
  /// `LT_STRESS_SEED`.
  static let seed = UInt64(number("LT_STRESS_SEED") ?? 1)

  /// Returns the amount of work for this build. `full` is the amount for an
  /// optimised build.
  static func count(_ full: Int) -> Int {
    var share = scale
    if !Interposed.isOptimized { share /= 20 }
    if Interposed.isSanitized { share /= 10 }
    return max(Int(Double(full) * share), 100)
  }

  private static func number(_ name: String) -> Double? {
    getenv(name).flatMap { Double(String(cString: $0)) }
  }
}
