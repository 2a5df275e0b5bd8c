import CardFeed

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The amount of work that the tests do, set by `LT_STRESS_SCALE`.
/// `scripts/check` does less under a sanitizer. If the scale is at least 10, as
/// in `scripts/soak`, tests use full-size cards in real time.
enum Workload {
  private static let scale = getenv("LT_STRESS_SCALE").flatMap { Double(String(cString: $0)) } ?? 1

  /// Whether cards have their full size.
  static let isFull = scale >= 10

  /// Returns the part of `full` to do at the current scale.
  static func count(_ full: Int) -> Int { max(1, Int(Double(full) * min(1, scale))) }

  /// Returns the cards. Unless the workload is full, the cards have a twentieth
  /// of the width and height, because tests are not optimised.
  static func corpus() throws -> CardCorpus { try CardCorpus(scale: isFull ? 2 : 0.1) }
}

/// Returns the resident memory of the process in bytes. Freed memory is
/// returned to the system first.
func residentBytes() -> Int? {
  typealias Trim = @convention(c) (Int) -> Int32
  // The function is looked up by name, because Swift's module of the C library
  // does not export it.
  if let trim = dlsym(nil, "malloc_trim") { _ = unsafeBitCast(trim, to: Trim.self)(0) }
  guard let file = fopen("/proc/self/statm", "re") else { return nil }
  defer { fclose(file) }
  var (buffer, text) = ([CChar](repeating: 0, count: 128), "")
  if fgets(&buffer, 128, file) != nil {
    text = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
  let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) }
  return pages.map { $0 * Int(getpagesize()) }
}
