import LoopTransactions
import LoopTransactionsIO
import LoopTransactionsTesting
import TestSupport
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The open descriptors that a started program would inherit.
private func inherited() -> [Int32] {
  (Int32(0)..<1024).filter { descriptor in
    let flags = fcntl(descriptor, F_GETFD)
    return flags >= 0 && flags & FD_CLOEXEC == 0
  }
}

/// Runs a shell, and returns the number of the signal that ended it, or 0.
private func signalEnding(_ script: String) -> Int32 {
  var status: Int32 = 0
  waitpid(Process.start(script), &status, 0)
  return status & 0x7F
}

private func withListener(_ body: (EventLoop) throws -> Void) throws {
  try withLoop { loop in
    try loop.listen(on: .loopback) { _ in }.close()
    try body(loop)
  }
}

/// Reports an error for a connection whose peer has left.
private func writeToBrokenPipe(on loop: EventLoop) throws {
  let (connection, peer) = try loop.pair()
  var name: String?
  connection.onClose = { name = $0?.name }
  peer.close()
  connection.write("x")
  try loop.run { name != nil }
  precondition(name == "EPIPE", "the write ended with \(name ?? "nil")")
}

@Suite("Connections and the programs that the process starts")
struct StartedProgramTests {
  @Test("a started program and a forked child have the default disposition of SIGPIPE")  // E9
  func brokenPipes() async {
    await #expect(processExitsWith: .success) {
      signal(SIGPIPE, SIG_DFL)
      try withListener { loop in
        try writeToBrokenPipe(on: loop)
        #expect(signalEnding("kill -PIPE $$") == SIGPIPE)
        let ending = Process.fork {
          if !Process.isDefault(SIGPIPE) { System.logToStandardError("kept") }
          try? withListener { try writeToBrokenPipe(on: $0) }
          if signalEnding("kill -PIPE $$") != SIGPIPE { System.logToStandardError("passed on") }
        }
        #expect(ending.status == 0 && ending.standardError == "")
      }
      #expect(signalEnding("kill -PIPE $$") == SIGPIPE)
    }
  }

  @Test("the disposition that a program sets for SIGPIPE stays, before the first use and after")
  func ownDisposition() async {
    await #expect(processExitsWith: .success) {
      signal(SIGPIPE) { _ in }
      let own = Process.handler(of: SIGPIPE)
      try withListener { try writeToBrokenPipe(on: $0) }
      #expect(Process.handler(of: SIGPIPE) == own)
    }
    await #expect(processExitsWith: .success) {
      signal(SIGPIPE, SIG_IGN)
      try withListener { loop in
        try writeToBrokenPipe(on: loop)
        #expect(signalEnding("kill -PIPE $$") == 0)
      }
    }
    await #expect(processExitsWith: .success) {
      signal(SIGPIPE, SIG_DFL)
      try withListener { _ in }
      signal(SIGPIPE, SIG_IGN)
      try withListener { _ in #expect(signalEnding("kill -PIPE $$") == 0) }
      signal(SIGPIPE, SIG_DFL)
      try withListener { _ in #expect(Process.isDefault(SIGPIPE)) }
    }
  }

  @Test("a write survives a broken pipe after a watch of SIGPIPE", arguments: [false, true])  // E9
  func watched(isWatchedFirst: Bool) async {
    await #expect(processExitsWith: .success) { [isWatchedFirst] in
      signal(SIGPIPE, SIG_DFL)
      try withLoop { loop in
        if !isWatchedFirst { try withListener { _ in } }
        let watcher = try loop.onSignal(SIGPIPE) {}
        watcher.keepsLoopAlive = false
        try writeToBrokenPipe(on: loop)
        let ending = Process.fork {
          if !Process.isDefault(SIGPIPE) { System.logToStandardError("kept") }
        }
        #expect(ending.status == 0 && ending.standardError == "")
        watcher.cancel()
        try writeToBrokenPipe(on: loop)
      }
    }
  }

  @Test("a socket that would be a standard stream is closed with its connection")  // L1
  func standardStreams() async {
    await #expect(processExitsWith: .success) {
      try withLoop { loop in
        var (isEnded, connected): (Bool, Connection?)
        (isEnded, connected) = (false, nil)
        let listener = try loop.listen(on: .loopback) { $0.onEnd = { isEnded = true } }
        // libuv would connect on 0.
        close(0)
        loop.connect(to: listener.endpoint) { connected = try? $0.get() }
        try loop.run { connected != nil }
        connected?.closeImmediately()
        try loop.run { isEnded }
        // As `inetd` starts a program.
        let pair = SocketPair()
        dup2(pair.near, 0)
        pair.closeNear()
        _ = fcntl(pair.far, F_SETFL, O_NONBLOCK)
        try loop.connection(adopting: 0).closeImmediately()
        try loop.run { SocketPair.read(1, from: pair.far) == 0 }
        #expect(fcntl(0, F_GETFD) >= 0)
      }
    }
  }

  @Test("a standard stream has its mode again when the connection of its socket closes")  // E9
  func sharedMode() async {
    await #expect(processExitsWith: .success) {
      func isNonBlocking(_ descriptor: Int32) -> Bool {
        fcntl(descriptor, F_GETFL) & O_NONBLOCK != 0
      }
      try withLoop { loop in
        // As `inetd` starts a program.
        for wasNonBlocking in [false, true] {
          let pair = SocketPair()
          if wasNonBlocking { _ = fcntl(pair.near, F_SETFL, O_NONBLOCK) }
          for stream: Int32 in [0, 1] { dup2(pair.near, stream) }
          pair.closeNear()
          let connection = try loop.connection(adopting: 0)
          #expect(isNonBlocking(1))
          connection.closeImmediately()
          #expect(isNonBlocking(1) == wasNonBlocking)
        }
        // Another connection may use the same socket.
        let pair = SocketPair()
        let other = dup(pair.near)
        let connections = try [pair.near, other].map { try loop.connection(adopting: dup($0)) }
        connections[0].closeImmediately()
        #expect(isNonBlocking(other))
        connections[1].closeImmediately()
        SocketPair.close(other)
      }
    }
  }

  @Test("a started program inherits no descriptor, also from a forked child")  // E9
  func descriptors() async {
    await #expect(processExitsWith: .success) {
      let path = "/tmp/loop-io-\(UInt32.random(in: 0...(.max)))"
      let before = inherited()
      try withLoop { loop in
        let (_, _) = try loop.tcpPair()
        let listener = try loop.listen(on: .unix(path: path)) { _ in }
        var local: Connection?
        loop.connect(to: .unix(path: path)) { local = try? $0.get() }
        try loop.run { local != nil }
        let (adopted, peer) = try loop.pair()
        _ = try loop.outcome(of: .tcp(host: "localhost", port: 1))
        #expect(inherited() == before)
        let ending = Process.fork {
          try? loop.close()
          let new = inherited().filter { !before.contains($0) }
          System.logToStandardError("\(new)")
        }
        #expect(ending.standardError == "[]\n")
        withExtendedLifetime((listener, adopted, peer)) {}
      }
    }
  }
}
