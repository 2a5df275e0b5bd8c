#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The memory of one bitmap. Owned by either a bitmap or a pool.
struct BitmapMemory {
  let address: UnsafeMutableRawPointer
  let byteCount: Int

  /// Allocates memory with undefined content. Returns nil if the allocation
  /// fails.
  init?(byteCount: Int) {
    // Not calloc: it clears reused memory in one step that cannot be cancelled.
    guard let address = malloc(byteCount) else { return nil }
    self.address = address
    self.byteCount = byteCount
  }

  /// Clears the first `count` bytes in steps, because clearing a bitmap as
  /// large as a screen takes several milliseconds.
  ///
  /// - Throws: `CancellationError` once `isCancelled` returns true.
  func clear(_ count: Int, _ isCancelled: () -> Bool) throws {
    for start in stride(from: 0, to: count, by: Self.bytesPerPoll) {
      if isCancelled() { throw CancellationError() }
      memset(address + start, 0, min(Self.bytesPerPoll, count - start))
    }
  }

  // About 0.1 ms of work. Not measured.
  private static let bytesPerPoll = 256 << 10

  /// Returns the memory to the system.
  func free() { Self.release(address) }

  private static func release(_ address: UnsafeMutableRawPointer) {
    #if canImport(Glibc)
      Glibc.free(address)
    #elseif canImport(Musl)
      Musl.free(address)
    #else
      Darwin.free(address)
    #endif
  }
}
