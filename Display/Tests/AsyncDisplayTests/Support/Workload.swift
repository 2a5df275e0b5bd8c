#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// How much the tests do.
enum Workload {
  /// Whether `LT_STRESS_SCALE` is below 1, as under a sanitizer in `scripts/check`: it has
  /// nothing to find in what one thread computes alone, which goes less far then.
  static let isShort = (getenv("LT_STRESS_SCALE").flatMap { Double(String(cString: $0)) } ?? 1) < 1
}
