#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The memory of one bitmap. Has one owner: a bitmap, or the pool.
struct BitmapMemory {
  let address: UnsafeMutableRawPointer
  let byteCount: Int

  /// Memory of whatever content, or nil if there is none.
  init?(byteCount: Int) {
    // Not calloc: what it gives again it clears in one step, which nobody can cancel.
    guard let address = malloc(byteCount) else { return nil }
    self.address = address
    self.byteCount = byteCount
  }

  /// Makes the first `count` bytes zero, in steps: a picture of a screen takes some
  /// milliseconds.
  ///
  /// - Throws: A `CancellationError` once `isCancelled` says so.
  func clear(_ count: Int, _ isCancelled: () -> Bool) throws {
    for start in stride(from: 0, to: count, by: Self.bytesPerPoll) {
      if isCancelled() { throw CancellationError() }
      memset(address + start, 0, min(Self.bytesPerPoll, count - start))
    }
  }

  // Some 0.1 ms. Guess.
  private static let bytesPerPoll = 256 << 10

  /// Gives it back to the system.
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
