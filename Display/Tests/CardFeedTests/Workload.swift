import CardFeed

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// How much the tests do, by `LT_STRESS_SCALE`: less under a sanitizer in
/// `scripts/check`; from 10 on, as in `scripts/soak`, with cards of their full size, in
/// real time.
enum Workload {
  private static let scale = getenv("LT_STRESS_SCALE").flatMap { Double(String(cString: $0)) } ?? 1

  /// Whether cards have their full size.
  static let isFull = scale >= 10

  /// What of `full` is done.
  static func count(_ full: Int) -> Int { max(1, Int(Double(full) * min(1, scale))) }

  /// The cards: a twentieth as large each way, for tests without optimisation, unless
  /// all of it is wanted.
  static func corpus() throws -> CardCorpus { try CardCorpus(scale: isFull ? 2 : 0.1) }
}

/// Bytes of memory that the process has in use, without what the allocator keeps of what
/// was freed.
func residentBytes() -> Int? {
  typealias Trim = @convention(c) (Int) -> Int32
  // By its name: Swift's module of the C library leaves it out.
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
