#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The amount of work that the tests do.
enum Workload {
  /// Whether `LT_STRESS_SCALE` is below 1, as when `scripts/check` uses a
  /// sanitizer. Single-threaded tests do less work if it is true, because the
  /// sanitizer finds nothing in them.
  static let isShort = scale < 1

  /// The seed of random numbers, from `LT_STRESS_SEED`.
  static let seed = UInt64(number("LT_STRESS_SEED") ?? 1)

  /// Whether figures are printed. True if `LT_ATTACK` is set, as `scripts/soak
  /// attack` does.
  static let isReported = number("LT_ATTACK") != nil

  private static let scale = number("LT_STRESS_SCALE") ?? 1

  /// Returns `full` multiplied by the scale, but at least 1.
  static func count(_ full: Int) -> Int { max(1, Int(Double(full) * scale)) }

  private static func number(_ name: String) -> Double? {
    getenv(name).flatMap { Double(String(cString: $0)) }
  }
}
