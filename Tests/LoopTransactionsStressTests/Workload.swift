import LoopTransactions
import LoopTransactionsTesting
import TestSupport

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// How much work the stress tests do, and from which seed: fixed, so that a
/// failure can be repeated.
enum Workload {
  /// How many times the usual work is done: `LT_STRESS_SCALE`.
  static let scale = number("LT_STRESS_SCALE").map { max($0, 0.001) } ?? 1

  /// Where random numbers begin: `LT_STRESS_SEED`.
  static let seed = UInt64(number("LT_STRESS_SEED") ?? 1)

  /// The work of an optimised build, and what of it another build does.
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
