import CUV

/// The CPUs that the calling thread may run on.
enum CPUAffinity {
  /// Makes the calling thread run only on `cpus`. Does nothing if there are
  /// none, and on other systems than Linux.
  static func pin(to cpus: [Int], for operation: @autoclosure () -> String) throws(UVError) {
    guard !cpus.isEmpty else { return }
    // Computed first, because libuv counts the CPUs of the calling thread.
    _ = ActiveCores.count
    let numbers = cpus.map { Int32(clamping: $0) }
    try check(lt_thread_pin(numbers, numbers.count), operation())
  }

  /// Makes the calling thread run on the process's CPUs again, although the
  /// thread that started it was pinned.
  static func unpin() { lt_thread_unpin() }
}
