#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// How much work the tests do.
enum Workload {
  /// True if `LT_STRESS_SCALE` is below 1, as under a sanitizer in
  /// `scripts/check`. Single-threaded tests then do less, because the sanitizer
  /// finds nothing in them.
  static let isShort = scale < 1

  /// The seed of random numbers: `LT_STRESS_SEED`.
  static let seed = UInt64(number("LT_STRESS_SEED") ?? 1)

  /// True if figures are printed: `LT_ATTACK` is set, as by `scripts/soak
  /// attack`.
  static let isReported = number("LT_ATTACK") != nil

  private static let scale = number("LT_STRESS_SCALE") ?? 1

  /// Returns `full` times the scale.
  static func count(_ full: Int) -> Int { max(1, Int(Double(full) * scale)) }

  private static func number(_ name: String) -> Double? {
    getenv(name).flatMap { Double(String(cString: $0)) }
  }
}
