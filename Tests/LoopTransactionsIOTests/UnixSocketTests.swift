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

@Suite("Unix sockets")
struct UnixSocketTests {
  private let path = "/tmp/loop-io-\(UInt32.random(in: 0...(.max)))"

  private func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  @Test(
    "close() leaves a file that has taken the place of the listener's",
    arguments: ["socket", "socket after unlink", "link", "nothing"]
  )  // E9
  func replacedFile(by replacement: String) throws {
    defer { for name in [path, path + ".old"] { unlink(name) } }
    try withLoop { loop in
      let old = try loop.listen(on: .unix(path: path)) { _ in }
      if replacement == "socket after unlink" {
        unlink(path)
      } else {
        rename(path, path + ".old")
      }
      var new: Listener?
      switch replacement {
      case "link": symlink(path + ".old", path)
      case "nothing": break
      default: new = try loop.listen(on: .unix(path: path)) { $0.closeImmediately() }
      }
      old.close()
      #expect(exists(path) == (new != nil) || replacement == "link")
      var status = stat()
      #expect(replacement != "link" || lstat(path, &status) == 0)
      guard let new else { return }
      #expect(try loop.outcome(of: .unix(path: path)) == "connected")
      new.close()
      #expect(!exists(path))
    }
  }

  @Test("a listener that fails leaves no file")  // E9
  func failedListener() throws {
    guard Interposed.isAvailable else { return }
    try withLoop { loop in
      #expect(throws: UVError.self) {
        try Interposed.refusingWatches(1) { try loop.listen(on: .unix(path: path)) { _ in } }
      }
      #expect(!exists(path))
    }
  }

  @Test("a forked child that closes a listener leaves the parent's file")  // E9
  func forkedListener() async {
    await #expect(processExitsWith: .success) {
      let path = "/tmp/loop-io-\(UInt32.random(in: 0...(.max)))"
      try withLoop { loop in
        let listener = try loop.listen(on: .unix(path: path)) { $0.closeImmediately() }
        _ = Process.fork {
          listener.close()
          try? loop.close()
        }
        #expect(access(path, F_OK) == 0)
        listener.close()
        #expect(access(path, F_OK) != 0)
      }
    }
  }

  @Test("a path that the kernel would read differently is refused")  // E9
  func oddPaths() throws {
    try withLoop { loop in
      for odd in ["", "\0name", "\(path)\0off", "\0"] {
        let error = #expect(throws: UVError.self) { try loop.listen(on: .unix(path: odd)) { _ in } }
        #expect(error?.name == "EINVAL")
        #expect(error?.description.contains("use a path that is not empty") == true)
        let text = try loop.outcome(of: .unix(path: odd))
        #expect(text.contains("EINVAL"))
      }
      #expect(!exists(path))
    }
  }

  @Test("a path of 107 bytes is the longest")
  func longestPath() throws {
    try withLoop { loop in
      let longest = path + String(repeating: "x", count: 107 - path.utf8.count)
      let listener = try loop.listen(on: .unix(path: longest)) { $0.closeImmediately() }
      #expect(listener.endpoint == .unix(path: longest))
      #expect(try loop.outcome(of: .unix(path: longest)) == "connected")
      let error = #expect(throws: UVError.self) {
        try loop.listen(on: .unix(path: longest + "x")) { _ in }
      }
      #expect(error?.name == "ENAMETOOLONG")
    }
  }

  @Test("an abstract name needs no file, and every byte of it counts")
  func abstractNames() throws {
    try withLoop { loop in
      let name = "loop-io \(UInt32.random(in: 0...(.max)))"
      var accepted: [String: Connection] = [:]
      for name in [name, name + "\0", name + "\0x", "\0" + name] {
        let listener = try loop.listen(on: .abstract(name: name)) { accepted[name] = $0 }
        #expect(listener.endpoint == .abstract(name: name))
        #expect(listener.endpoint.description == "@\(name)")
      }
      var connected: Connection?
      loop.connect(to: .abstract(name: name + "\0")) { connected = try? $0.get() }
      try loop.run { connected != nil && !accepted.isEmpty }
      #expect(Array(accepted.keys) == [name + "\0"])
      #expect(connected?.remoteEndpoint == .abstract(name: name + "\0"))
      #expect(try loop.outcome(of: .abstract(name: name + "y")).contains("ECONNREFUSED"))
    }
  }

  @Test("an abstract name that is empty or too long is refused")
  func oddNames() throws {
    try withLoop { loop in
      let long = String(repeating: "x", count: 108)
      for (name, code) in [("", "EINVAL"), (long, "ENAMETOOLONG")] {
        let error = #expect(throws: UVError.self) {
          try loop.listen(on: .abstract(name: name)) { _ in }
        }
        #expect(error?.name == code)
        let text = try loop.outcome(of: .abstract(name: name))
        #expect(text.contains(code))
      }
    }
  }
}
