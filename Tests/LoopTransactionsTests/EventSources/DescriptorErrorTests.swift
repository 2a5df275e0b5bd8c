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

@Suite("DescriptorWatcher of a descriptor that fails or hangs up more than once")
struct DescriptorErrorTests {
  @Test("an error that the callback itself causes is reported, and keeps the run going")  // E1
  func causedInCallback() throws {
    try withLoop { loop in
      let (datagrams, trace) = (try Datagrams(), Trace())
      var left = 3
      let watcher = try loop.watch(datagrams.receiver, for: .readable) { events in
        trace.record("\(events) \(drain(datagrams.receiver))")
        left -= 1
        // The kernel refuses it at once, so the descriptor has an error again.
        if left > 0 { datagrams.fail() } else { loop.stop() }
      }
      datagrams.fail()
      #expect(loop.runInTime() == .stopped)
      #expect(trace.events == Array(repeating: "[readable, error] 1 errors", count: 3))
      try datagrams.send(3)
      #expect(loop.runInTime() == .stopped)
      #expect(trace.events.last == "[readable] 0 errors")
      watcher.cancel()
    }
  }

  @Test("an unread error is reported once, without a further tick")  // E1
  func unread() throws {
    try withLoop { loop in
      let (datagrams, trace) = (try Datagrams(), Trace())
      let watcher = try loop.watch(datagrams.receiver, for: .readable) { trace.record("\($0)") }
      datagrams.fail()
      for _ in 0..<3 { loop.run(.noWait) }
      #expect(trace.events == ["[readable, error]"])
      #expect(!isReady(loop))
      watcher.cancel()
    }
  }

  @Test("a datagram after an error that stays is reported, and the run waits for it")  // E1
  func afterKeptError() throws {
    try withLoop { loop in
      let (datagrams, trace) = (try Datagrams(), Trace())
      try datagrams.keepErrors()
      let watcher = try loop.watch(datagrams.receiver, for: .readable) { events in
        trace.record("\(events) \(drain(datagrams.receiver))")
      }
      datagrams.fail()
      for _ in 0..<3 { loop.run(.noWait) }
      #expect(trace.events == ["[readable, error] 1 errors"])
      for count in 2...4 {
        #expect(loop.run(.noWait) == .ticked)
        try datagrams.send(3)
        for _ in 0..<2 { loop.run(.noWait) }
        #expect(trace.events.count == count)
      }
      #expect(!isReady(loop))
      watcher.cancel()
    }
  }

  @Test("kept errors are reported one after the other to a callback that takes one")  // E1
  func keptErrors() throws {
    try withLoop { loop in
      let (datagrams, trace) = (try Datagrams(), Trace())
      try datagrams.keepErrors()
      let watcher = try loop.watch(datagrams.receiver, for: .readable) { events in
        trace.record("\(events) \(datagrams.readError())")
      }
      for _ in 0..<3 {
        datagrams.fail()
        // Takes the error, but not its entry in the queue.
        _ = drain(datagrams.receiver)
      }
      for _ in 0..<8 { loop.run(.noWait) }
      #expect(trace.events == Array(repeating: "[readable, error] true", count: 3))
      watcher.cancel()
    }
  }

  @Test("data after a kept error of a connection is reported, and the run waits for it")  // E1
  func errorQueueOfConnection() throws {
    try withLoop { loop in
      let (pair, trace) = (try TCPPair(), Trace())
      try pair.requestTimestamps()
      let watcher = try loop.watch(pair.near, for: .readable) {
        trace.record("\($0) \(SocketPair.read(64, from: pair.near))")
      }
      SocketPair.write(1, to: pair.near)
      for _ in 0..<3 { loop.run(.noWait) }
      #expect(trace.events == ["[readable, error] -1"])
      #expect(loop.run(.noWait) == .ticked)
      SocketPair.write(5, to: pair.far)
      for _ in 0..<3 { loop.run(.noWait) }
      #expect(trace.events.last == "[readable, error] 5")
      #expect(!isReady(loop))
      watcher.cancel()
    }
  }

  @Test("a kept error that the system reports as priority is reported once")  // E1
  func errorAsPriority() throws {
    try withLoop { loop in
      let (datagrams, trace) = (try Datagrams(), Trace())
      try datagrams.keepErrors()
      try datagrams.reportErrorsAsPriority()
      let watcher = try loop.watch(datagrams.receiver, for: .priority) { trace.record("\($0)") }
      for count in 1...2 {
        datagrams.fail()
        for _ in 0..<3 { loop.run(.noWait) }
        #expect(trace.events == Array(repeating: "[priority, error]", count: count))
        #expect(!isReady(loop))
        datagrams.readError()
      }
      watcher.cancel()
    }
  }

  @Test("each watcher of a descriptor is notified of each error")  // E1
  func eachWatcher() throws {
    try withLoop { loop in
      let (datagrams, trace) = (try Datagrams(), Trace())
      let reader = try loop.watch(datagrams.receiver, for: .readable) { _ in
        trace.record("reader")
        _ = drain(datagrams.receiver)
        if trace.events.count < 5 { datagrams.fail() }
      }
      let other = try loop.watch(datagrams.receiver, for: .priority) { trace.record("\($0)") }
      datagrams.fail()
      for _ in 0..<6 { loop.run(.noWait) }
      #expect(trace.events == Array(repeating: ["reader", "[error]"], count: 3).flatMap(\.self))
      #expect(!isReady(loop))
      reader.cancel()
      other.cancel()
    }
  }

  @Test("each error of a Unix datagram socket is reported, although no callback reads one")  // E1
  func unixDatagrams() throws {
    try withLoop { loop in
      let (peers, trace) = (try UnixDatagrams(), Trace())
      let watcher = try loop.watch(peers.near, for: .readable) { trace.record("\($0)") }
      for count in 1...3 {
        peers.fail()
        for _ in 0..<3 { loop.run(.noWait) }
        #expect(trace.events == Array(repeating: "[readable, error]", count: count))
      }
      #expect(!isReady(loop))
      watcher.cancel()
    }
  }

  @Test("a reader gets all data before the error, however slowly it reads")  // E1
  func dataBeforeError() throws {
    try withLoop { loop in
      let (pair, trace) = (SocketPair(), Trace())
      pair.send(10)
      // Data that the peer leaves unread makes its close an error.
      SocketPair.write(1, to: pair.near)
      pair.closeFar()
      let watcher = try loop.watch(pair.near, for: .readable) {
        trace.record("\($0) \(pair.receive(4))")
      }
      for _ in 0..<8 { loop.run(.noWait) }
      #expect(trace.events == [4, 4, 2, -1].map { "[readable, hangUp, error] \($0)" })
      watcher.cancel()
    }
  }

  @Test("a FIFO that was opened for reading reports each writer, and its end")  // E1
  func fifo() throws {
    try withLoop { loop in
      let (fifo, trace) = (try Fifo(), Trace())
      // The run does not wait for a descriptor that is hung up.
      let timer = loop.addTimer(after: .seconds(3600)) { _ in }
      let reader = fifo.open(O_RDONLY | O_NONBLOCK)
      let watcher = try loop.watch(reader, for: .readable) {
        trace.record("\($0) \(SocketPair.read(64, from: reader))")
      }
      for count in [3, 5] {
        fifo.write(count)
        for _ in 0..<4 { loop.run(.noWait) }
      }
      let end = "[readable, hangUp] 0"
      #expect(trace.events == ["[readable] 3", end, "[readable] 5", end])
      timer.cancel()
      watcher.cancel()
      SocketPair.close(reader)
    }
  }

  @Test("a FIFO that was opened for reading and writing never hangs up")  // E1
  func fifoBothWays() throws {
    try withLoop { loop in
      let (fifo, trace) = (try Fifo(), Trace())
      let reader = fifo.open(O_RDWR | O_NONBLOCK)
      let watcher = try loop.watch(reader, for: .readable) {
        trace.record("\($0) \(SocketPair.read(64, from: reader))")
      }
      for count in [3, 5] {
        fifo.write(count)
        for _ in 0..<4 { #expect(loop.run(.noWait) == .ticked) }
      }
      #expect(trace.events == ["[readable] 3", "[readable] 5"])
      watcher.cancel()
      SocketPair.close(reader)
    }
  }

  @Test("a half-close does not wake the loop again, whichever events are left")  // E1
  func halfClose() throws {
    for events: DescriptorEvents in [.priority, [.readable, .priority], [.hangUp, .priority]] {
      try withLoop { loop in
        let (pair, trace) = (SocketPair(), Trace())
        let watcher = try loop.watch(pair.near, for: events) { trace.record("\($0)") }
        pair.endSending()
        for _ in 0..<3 { loop.run(.noWait) }
        #expect(trace.events.count == (events == .priority ? 0 : 1))
        #expect(!isReady(loop), "\(events)")
        watcher.cancel()
      }
    }
  }
}

/// Returns the number of errors before there is nothing to read, as text.
private func drain(_ descriptor: Int32) -> String {
  var (byte, errors): (UInt8, Int) = (0, 0)
  while true {
    let count = recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT))
    if count >= 0 { continue }
    if errno == EAGAIN { return "\(errors) errors" }
    errors += 1
  }
}

/// Whether the next poll of `loop` would find an event.
private func isReady(_ loop: EventLoop) -> Bool {
  let uv = loop.libuvLoop.assumingMemoryBound(to: uv_loop_t.self)
  var entry = pollfd(fd: uv_backend_fd(uv), events: Int16(POLLIN), revents: 0)
  return poll(&entry, 1, 0) > 0
}

/// A Unix datagram socket whose peer drops its messages.
private final class UnixDatagrams {
  let near: Int32
  private let (far, other): (Int32, Int32)

  init() throws {
    let type = Int32(SOCK_DGRAM.rawValue)
    near = socket(AF_UNIX, type, 0)
    far = socket(AF_UNIX, type, 0)
    other = socket(AF_UNIX, type, 0)
    for each in [near, far, other] { try #require(bindToAnyName(each)) }
    try #require(connect(near, to: far) && connect(far, to: near))
  }

  deinit { for each in [near, far, other] { close(each) } }

  /// Makes the next read or write fail with `ECONNRESET`.
  func fail() {
    _ = connect(far, to: near)
    // The first write may fail with the error before.
    for _ in 0..<2 { _ = send(near, "!", 1, Int32(MSG_DONTWAIT)) }
    _ = connect(far, to: other)
  }
}

/// A TCP connection over the loopback interface. `near` does not block.
private final class TCPPair {
  let near, far: Int32

  init() throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(listener) }
    try #require(listen(listener, 1) == 0)
    near = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    try #require(connect(near, to: listener))
    far = accept(listener, nil, nil)
  }

  deinit { for each in [near, far] { close(each) } }

  /// Makes the system put a timestamp of each sent segment into the error queue.
  func requestTimestamps() throws {
    // SOF_TIMESTAMPING_TX_SOFTWARE, _SOFTWARE and _OPT_ID.
    var flags: Int32 = 2 | 16 | 128
    try #require(setsockopt(near, SOL_SOCKET, SO_TIMESTAMPING, &flags, 4) == 0)
  }
}

/// Binds a Unix socket to an abstract name that the kernel chooses.
private func bindToAnyName(_ socket: Int32) -> Bool {
  var family = sa_family_t(AF_UNIX)
  return withUnsafeMutableBytes(of: &family) { bytes in
    bytes.baseAddress.map { bind(socket, $0.assumingMemoryBound(to: sockaddr.self), 2) } == 0
  }
}

/// Connects to the address of `peer`.
private func connect(_ socket: Int32, to peer: Int32) -> Bool {
  var (address, size) = (sockaddr_storage(), socklen_t(MemoryLayout<sockaddr_storage>.size))
  return withUnsafeMutableBytes(of: &address) { bytes in
    guard let start = bytes.baseAddress else { return false }
    let peers = start.assumingMemoryBound(to: sockaddr.self)
    return getsockname(peer, peers, &size) == 0 && connect(socket, peers, size) == 0
  }
}

/// A FIFO in a folder of its own.
private final class Fifo {
  private let folder: String
  private var path: String { "\(folder)/fifo" }

  init() throws {
    var template = Array("/tmp/fifo-XXXXXX".utf8CString)
    try #require(mkdtemp(&template) != nil)
    folder = template.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
    try #require(mkfifo(path, 0o600) == 0)
  }

  deinit {
    unlink(path)
    rmdir(folder)
  }

  func open(_ flags: Int32) -> Int32 { Glibc.open(path, flags | O_CLOEXEC) }

  /// Writes `count` bytes as a writer that comes and goes.
  func write(_ count: Int) {
    let writer = open(O_WRONLY | O_NONBLOCK)
    SocketPair.write(count, to: writer)
    SocketPair.close(writer)
  }
}
