import ClientHost
import Foundation
import LoopTransactions
import Testing

@Suite("the watcher of a descriptor's copy")
struct CopyWatcherTests {
  // In a process of its own, because other tests open descriptors.
  @Test("a copy is closed, also if the loop cannot watch it")
  func closed() async {
    await #expect(processExitsWith: .success) {
      let loop = try EventLoop()
      let pipe = Pipe()
      let socket = pipe.fileHandleForReading.fileDescriptor
      // A file cannot be polled.
      let file = open("/proc/self/status", O_RDONLY | O_CLOEXEC)
      for descriptor in [socket, file] {
        let before = copies(of: descriptor)
        let watcher = CopyWatcher(descriptor, for: .readable, on: loop) {}
        #expect(copies(of: descriptor) == before + 1)
        watcher.cancel()
        #expect(copies(of: descriptor) == before)
        // The next file has the number of the copy.
        let next = dup(descriptor)
        watcher.cancel()
        #expect(fcntl(next, F_GETFD) >= 0)
        close(next)
      }
      try loop.close()
    }
  }
}

/// The number of this process's descriptors for the file of `descriptor`. Others
/// do not count, because Dispatch may open some at any time.
private func copies(of descriptor: Int32) -> Int {
  guard let file = identity(of: descriptor) else { return 0 }
  return (0..<256).count { identity(of: $0) == file }
}

/// The device and inode numbers of the descriptor's file, or nil if it is not open.
private func identity(of descriptor: Int32) -> [UInt64]? {
  var status = stat()
  guard fstat(descriptor, &status) == 0 else { return nil }
  return [UInt64(status.st_dev), UInt64(status.st_ino)]
}
