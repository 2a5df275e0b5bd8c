import LoopTransactions
import LoopTransactionsIO
import LoopTransactionsTesting
import TestSupport
import Testing

@Suite("Stress: connections", .serialized)
struct ConnectionStressTests {
  @Test("each connect has one outcome, each connection one end, and no echoed byte is lost")  // E7
  func twoLoops() throws {
    for round in 0..<UInt64(Workload.count(400) / 100) {
      let ledger = ConnectionLedger()
      let loops = try (0..<2).map { _ in try LoopThread(name: "stress") }
      let endpoints = try loops.map { try $0.port.postAndWait { try serve(ledger) } }
      let gate = Gate()
      let count = 200
      for (index, thread) in loops.enumerated() {
        let endpoint = endpoints[1 - index]
        let seed = Workload.seed &+ round &* 2 &+ UInt64(index)
        try thread.port.post {
          for client in 0..<count { connect(client, to: endpoint, seed, ledger, gate) }
        }
      }
      #expect(gate.waitInTime(loops.count * count))
      for thread in loops { thread.stop() }
      for thread in loops { try thread.join() }
      ledger.check(clients: loops.count * count)
    }
  }
}

/// Counts of all loops.
private final class ConnectionLedger: Sendable {
  struct Counts {
    var outcomes = 0
    var opened = 0
    var closed = 0
    var closedTwice = 0
    var lost = 0
  }

  let counts = Locked(Counts())

  /// Counts the end of `connection`.
  func follow(_ connection: Connection, _ ended: @escaping (UVError?) -> Void = { _ in }) {
    counts.withLock { $0.opened += 1 }
    var isClosed = false
    connection.onClose = { [self] error in
      counts.withLock {
        $0.closed += 1
        if isClosed { $0.closedTwice += 1 }
      }
      isClosed = true
      ended(error)
    }
  }

  func check(clients: Int) {
    let counts = counts.withLock { $0 }
    #expect(counts.outcomes == clients)
    #expect(counts.closed == counts.opened)
    #expect(counts.opened >= clients)
    #expect(counts.closedTwice == 0)
    #expect(counts.lost == 0)
  }
}

/// Listens on the current loop, and echoes.
private func serve(_ ledger: ConnectionLedger) throws -> Endpoint {
  let loop = try #require(EventLoop.current)
  return try loop.listen(on: .tcp(host: "127.0.0.1", port: 0)) { connection in
    ledger.follow(connection)
    connection.onRead = { connection.write($0) }
  }.endpoint
}

/// Connects from the current loop, and opens `gate` when the client has ended or
/// has received an echo.
private func connect(
  _ client: Int,
  to endpoint: Endpoint,
  _ seed: UInt64,
  _ ledger: ConnectionLedger,
  _ gate: Gate
) {
  var generator = SeededGenerator(seed: seed &* 1000 &+ UInt64(client))
  let size = Int.random(in: 1...100_000, using: &generator)
  EventLoop.current?.connect(to: endpoint) { result in
    ledger.counts.withLock { $0.outcomes += 1 }
    guard case .success(let connection) = result else { return gate.open() }
    var received = 0
    let isWhole = client % 4 == 0
    ledger.follow(connection) { error in
      if isWhole, received != size || error != nil { ledger.counts.withLock { $0.lost += 1 } }
      if client % 4 != 3 { gate.open() }
    }
    connection.onRead = { bytes in
      let isFirst = received == 0
      received += bytes.byteCount
      if client % 4 == 2 { connection.closeImmediately() }
      if client % 4 == 3, isFirst { gate.open() }
    }
    for part in stride(from: 0, to: size, by: 9_000) {
      connection.write([UInt8](repeating: 1, count: min(9_000, size - part)))
    }
    switch client % 4 {
    case 0: connection.finishWriting()
    case 1: connection.close()
    default: break
    }
  }
}
