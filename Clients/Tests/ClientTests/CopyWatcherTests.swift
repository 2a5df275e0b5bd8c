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
        let before = descriptors()
        let watcher = CopyWatcher(descriptor, for: .readable, on: loop) {}
        #expect(descriptors() == before + 1)
        watcher.cancel()
        #expect(descriptors() == before)
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

/// The number of descriptors that this process has open.
private func descriptors() -> Int { (0..<256).count { fcntl($0, F_GETFD) >= 0 } }
