import CUV
import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite("EventLoop.onMemoryPressure")
struct MemoryPressureTests {
  @Test("each report calls the callback on the loop, and the run does not wait for one")  // E8
  func reports() throws {
    try withLoop { loop in
      let (urgent, trace) = (try UrgentData(), Trace())
      let descriptor = SocketPair.duplicate(urgent.receiver)
      let watcher = try loop.onMemoryPressure(descriptor: descriptor) {
        trace.record("pressure")
        urgent.clear()
      }
      #expect(loop.run() == .finished)
      #expect(trace.events == [])
      // Otherwise a run without other work makes no tick.
      watcher.keepsLoopAlive = true
      for count in 1...2 {
        urgent.report()
        while trace.events.count < count { loop.run(.noWait) }
        loop.run(.noWait)
      }
      #expect(trace.events == ["pressure", "pressure"])
      watcher.cancel()
      #expect(fcntl(descriptor, F_GETFD) == -1)
    }
  }

  @Test("an error of the kernel's file ends the watcher with a report, and does not spin")  // E8
  func error() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      try withLoop { loop in
        let (pipe, released) = (SocketPair(pipe: true), Tally())
        pipe.closeNear()
        let witness = Witness { released.increment() }
        let watcher = try loop.onMemoryPressure(descriptor: SocketPair.duplicate(pipe.far)) {
          [witness] in
          witness.touch()
          Issue.record("called")
        }
        _ = consume witness
        watcher.keepsLoopAlive = true
        while watcher.isActive { loop.run(.noWait) }
        #expect(released.value == 1)
      }
    }
    #expect(said(result, "EventLoop.onMemoryPressure: the control group was removed"))
  }

  @Test("a descriptor that other code closed and reused is not closed")  // E8
  func reused() throws {
    try withLoop { loop in
      let pair = SocketPair()
      let descriptor = SocketPair.duplicate(pair.far)
      let watcher = try loop.onMemoryPressure(descriptor: descriptor) {}
      #expect(dup2(pair.near, descriptor) == descriptor)
      watcher.cancel()
      #expect(close(descriptor) == 0)
    }
  }

  @Test("the trigger is written to the first file that the system permits")  // E8
  func files() throws {
    try withLoop { loop in
      let fifo = "/tmp/lt-pressure-\(getpid())"
      try #require(mkfifo(fifo, 0o600) == 0)
      defer { unlink(fifo) }
      // Kept open, because a FIFO that no process has open loses its data.
      let reader = open(fifo, O_RDONLY | O_NONBLOCK)
      defer { close(reader) }
      let descriptor = try EventLoop.openMemoryPressure(
        .full,
        lasting: .milliseconds(150),
        within: .seconds(4),
        of: ["/nowhere/memory.pressure", fifo]
      )
      let watcher = try loop.onMemoryPressure(descriptor: descriptor) {}
      var bytes = [UInt8](repeating: 1, count: 64)
      let count = read(reader, &bytes, bytes.count)
      #expect(Array(bytes.prefix(max(count, 0))) == Array("full 150000 4000000\0".utf8))
      watcher.cancel()
    }
  }

  @Test("a system without PSI, or that denies it, throws an error that names the file")  // E8
  func refused() throws {
    try withLoop { loop in
      let operation = "EventLoop.onMemoryPressure (/nowhere/memory.pressure)"
      #expect {
        _ = try EventLoop.openMemoryPressure(
          .some,
          lasting: .milliseconds(200),
          within: .seconds(2),
          of: ["/nowhere/memory.pressure"]
        )
      } throws: { error in
        let error = error as? UVError
        return error?.name == "ENOENT" && error?.operation == operation
      }
      do throws(UVError) {
        try loop.onMemoryPressure {}.cancel()
      } catch {
        #expect(["ENOENT", "ENOTSUP", "EACCES", "EPERM"].contains(error.name), "\(error)")
        #expect(error.operation == "EventLoop.onMemoryPressure (/proc/pressure/memory)")
      }
      #expect(loop.run() == .finished)
    }
  }

  @Test("the file of the process's control group is tried first")  // E8
  func controlGroup() throws {
    let groups = "/tmp/lt-groups-\(getpid())"
    defer { unlink(groups) }
    func file(_ text: String) throws -> String? {
      let descriptor = open(groups, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
      try #require(write(descriptor, text, text.utf8.count) == text.utf8.count)
      close(descriptor)
      return ControlGroup.memoryPressureFile(groups: groups, mount: "/m")
    }
    #expect(try file("4:memory:/a\n0::/user/work\n") == "/m/user/work/memory.pressure")
    #expect(try file("0::/\n") == "/m/memory.pressure")
    #expect(try file("4:memory:/a\n") == nil)
    #expect(ControlGroup.memoryPressureFile(groups: "/nowhere") == nil)
  }
}

/// A TCP connection whose urgent data makes the receiver report `POLLPRI`, as
/// the kernel's pressure files do.
private final class UrgentData {
  let sender: Int32
  let receiver: Int32

  init() throws {
    let stream = Int32(SOCK_STREAM.rawValue)
    let listener = socket(AF_INET, stream, 0)
    defer { close(listener) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    sender = socket(AF_INET, stream, 0)
    let sender = sender
    let connected = withUnsafeMutableBytes(of: &address) { bytes in
      guard let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else {
        return false
      }
      return bind(listener, address, size) == 0 && listen(listener, 1) == 0
        && getsockname(listener, address, &size) == 0 && connect(sender, address, size) == 0
    }
    receiver = accept(listener, nil, nil)
    try #require(connected && receiver >= 0)
  }

  deinit {
    close(sender)
    close(receiver)
  }

  /// Sets `POLLPRI`.
  func report() { _ = send(sender, "!", 1, Int32(MSG_OOB)) }

  /// Clears `POLLPRI`.
  func clear() {
    var byte: UInt8 = 0
    _ = recv(receiver, &byte, 1, Int32(MSG_OOB))
  }
}
