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

extension EventLoop {
  /// Connects, and returns the outcome: `connected`, or the error.
  func outcome(of endpoint: Endpoint, timeout: Duration? = nil) throws -> String {
    var outcomes: [String] = []
    connect(to: endpoint, timeout: timeout) { result in
      switch result {
      case .success(let connection):
        outcomes.append("connected")
        connection.closeImmediately()
      case .failure(let error): outcomes.append(error.description)
      }
    }
    try run { !outcomes.isEmpty }
    return outcomes[0]
  }
}

@Suite("Name lookups")
struct NameLookupTests {
  @Test("if the first address of a name refuses, the next one is tried")  // E7
  func twoAddresses() throws {
    guard Interposed.isAvailable else { return }
    try withLoop { loop in
      var accepted = 0
      let listener = try loop.listen(on: .loopback) { _ in accepted += 1 }
      guard case .tcp(_, let port) = listener.endpoint else { return }
      #expect(try loop.outcome(of: .tcp(host: "two.test", port: port)) == "connected")
      try loop.run { accepted == 1 }
      listener.close()
      let text = try loop.outcome(of: .tcp(host: "two.test", port: port))
      #expect(text.contains("ECONNREFUSED"))
    }
  }

  @Test("lookups without an answer delay no timeout, no operation and no close()")  // E9
  func heldLookups() throws {
    guard Interposed.isAvailable else { return }
    let held = Endpoint.tcp(host: "held.test", port: 1)
    var names: [String] = []
    try Interposed.holdingLookups {
      try withLoop { loop in
        let text = try loop.outcome(of: held, timeout: .milliseconds(1))
        #expect(text.contains("ETIMEDOUT"))
        // More than there are threads for lookups, and for operations.
        for _ in 0..<max(40, 2 * OperationScheduler.processWorkerLimit) {
          loop.connect(to: held) { result in
            if case .failure(let error) = result { names.append(error.name) }
          }
        }
        let transaction = AsyncTransaction(on: loop)
        var isDone = false
        transaction.add { _ in }
        transaction.whenComplete { _ in isDone = true }
        transaction.commit()
        try loop.run { isDone }
        // A lookup keeps the loop running.
        #expect(loop.run(until: loop.now.advanced(by: .milliseconds(1))) == .timedOut)
        #expect(names == [])
      }
    }
    #expect(!names.isEmpty && names.allSatisfy { $0 == "ECANCELED" })
  }

  @Test("a name is found while operations occupy all workers")  // E9
  func occupiedWorkers() async {
    await #expect(processExitsWith: .success) {
      let count = OperationScheduler.processWorkerLimit
      let (begun, gate) = (Gate(), Gate())
      for _ in 0..<count {
        OperationScheduler.shared.add { _ in
          begun.open()
          gate.wait()
        }
      }
      #expect(begun.waitInTime(count))
      defer { gate.open(count) }
      try withLoop { loop in
        let text = try loop.outcome(of: .tcp(host: "localhost", port: 1))
        #expect(text.contains("ECONNREFUSED"))
      }
    }
  }

  @Test("a child that is forked after a lookup exits, and can look up names")  // E9
  func forkedExit() async {
    await #expect(processExitsWith: .success) {
      let refused = Endpoint.tcp(host: "localhost", port: 1)
      try withLoop { loop in
        let text = try loop.outcome(of: refused)
        #expect(text.contains("ECONNREFUSED"))
        let ending = Process.fork {
          Process.endInTime()
          exit(5)
        }
        // A sanitizer may find leaks in the child.
        #expect(Interposed.isSanitized || ending.status == 5)
        let user = Process.fork {
          Process.endInTime()
          try? withLoop { loop in
            let text = try loop.outcome(of: refused)
            System.logToStandardError(text.contains("ECONNREFUSED") ? "found" : text)
          }
        }
        #expect(user.standardError == "found\n")
      }
    }
  }

  @Test(
    "a host that C or libuv would cut is refused",
    arguments: [
      "127.0.0.1\0.example.com", "\0", "localhost\0", "::1%.example.com",
      "0000:0000:0000:0000:0000:0000:0000:0001.evil%lo",
    ]
  )  // E9
  func cutHosts(host: String) throws {
    try withLoop { loop in
      let endpoint = Endpoint.tcp(host: host, port: 0)
      let error = #expect(throws: UVError.self) { try loop.listen(on: endpoint) { _ in } }
      #expect(error?.name == "EINVAL")
      let text = try loop.outcome(of: endpoint)
      #expect(text.contains(host.contains("\0") ? "EINVAL" : "EAI_"))
      #expect(!text.contains("\0") && error?.description.contains("\0") == false)
    }
  }

  @Test("a name with other than ASCII characters is looked up in Punycode")  // E7
  func punycode() throws {
    guard Interposed.isAvailable else { return }
    try withLoop { loop in
      let listener = try loop.listen(on: .loopback) { _ in }
      guard case .tcp(_, let port) = listener.endpoint else { return }
      #expect(try loop.outcome(of: .tcp(host: "b\u{FC}cher.test", port: port)) == "connected")
      listener.close()
    }
  }
}
