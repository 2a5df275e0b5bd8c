import LoopTransactions
import LoopTransactionsIO
import LoopTransactionsTesting
import TestSupport
import Testing

@Suite("Connections with much to send or to read")
struct OverloadTests {
  private static let piece = [UInt8](repeating: 1, count: 32 << 10)

  @Test("a connection stays writable in a tick whose bytes the socket takes")  // E7
  func promptReader() throws {
    try withLoop { loop in
      let (connection, peer) = try loop.pair()
      let events = Events(of: connection)
      connection.setWaterMarks(low: 16 << 10, high: 64 << 10)
      var received = 0
      for _ in 0..<24 {
        #expect(connection.write(Self.piece))
        #expect(connection.isWritable)
        received += peer.receive()?.count ?? 0
      }
      #expect(received == 24 * Self.piece.count)
      loop.tick()
      #expect(connection.queuedBytes == 0 && events.list == [])
    }
  }

  @Test("each time that a tick's bytes reach the high mark is one more write")  // E7
  func earlyWrites() throws {
    try withLoop { loop in
      let (connection, peer) = try loop.pair()
      connection.setWaterMarks(low: 16 << 10, high: 64 << 10)
      let before = Interposed.writes
      for _ in 0..<5 {
        connection.write(Self.piece)
        _ = peer.receive()
      }
      #expect(connection.writeCount == 2 && connection.queuedBytes == Self.piece.count)
      loop.tick(2)
      #expect(connection.writeCount == 3 && connection.queuedBytes == 0)
      if Interposed.isAvailable { #expect(Interposed.writes - before == 3) }
    }
  }

  @Test("a connection whose peer does not read queues no more than the high mark and one write")
  func slowReader() throws {
    try withLoop { loop in
      let (connection, peer) = try loop.pair()
      let events = Events(of: connection)
      connection.setWaterMarks(low: 16 << 10, high: 64 << 10)
      while connection.isWritable { connection.write(Self.piece) }
      #expect((64 << 10..<96 << 10).contains(connection.queuedBytes))
      let writes = connection.writeCount
      connection.write(Self.piece)
      loop.tick(3)
      #expect(connection.writeCount == writes && events.list == [])
      try loop.run {
        _ = peer.receive()
        return connection.queuedBytes == 0
      }
      #expect(connection.isWritable && events.list == ["drain"])
    }
  }

  @Test("a producer that writes while it may is stopped in a tick, although the peer reads all")
  func endlessProducer() throws {
    try withLoop { loop in
      let (connection, peer) = try loop.pair()
      connection.setWaterMarks(low: 16 << 10, high: 64 << 10)
      var (written, ticks) = (0, 0)
      func produce() {
        while connection.isWritable, written < 1000 {
          connection.write(Self.piece)
          written += 1
          _ = peer.receive()
        }
      }
      connection.onDrain = produce
      produce()
      // 16 early writes of two pieces, and two pieces that wait.
      #expect(written == 34 && connection.writeCount == 16)
      while written < 1000 {
        loop.tick()
        ticks += 1
        _ = peer.receive()
      }
      #expect(ticks > 10)
    }
  }

  @Test("a write that reaches the high mark closes a connection that was lost, and returns false")
  func lost() throws {
    try withLoop { loop in
      let (connection, peer) = try loop.pair()
      let events = Events(of: connection)
      connection.setWaterMarks(low: 16 << 10, high: 64 << 10)
      peer.close()
      #expect(connection.write(Self.piece))
      #expect(!connection.write(Self.piece))
      #expect(!connection.isOpen && events.list == [])
      loop.tick()
      #expect(events.list == ["close EPIPE"])
    }
  }

  @Test("more pieces than one system call can have leave with several, in the same tick")
  func manyPieces() throws {
    try withLoop { loop in
      let (connection, peer) = try loop.tcpPeer()
      connection.setWaterMarks(low: 1 << 20, high: 8 << 20)
      let piece = SharedBytes([UInt8](repeating: 2, count: 600))
      for _ in 0..<2000 { connection.write(piece) }
      loop.tick()
      #expect(connection.writeCount == 2 && connection.queuedBytes == 0)
      var received = 0
      #expect(
        inTime {
          received += peer.receive()?.count ?? 0
          return received == 2000 * piece.count
        }
      )
    }
  }

  @Test("a tick reads at most 512 KB from each peer, and so serves all of them")  // E7
  func fairReading() throws {
    try withLoop { loop in
      let pairs = try (0..<2).map { _ in try loop.pair() }
      var received = [0, 0]
      for (index, (connection, peer)) in pairs.enumerated() {
        connection.onRead = { bytes in
          received[index] += bytes.byteCount
          // So that the socket always has more to read.
          _ = peer.sendWhatFits(bytes.byteCount)
        }
        #expect(peer.sendWhatFits(128 << 10) == 128 << 10)
      }
      loop.tick()
      #expect(received == [512 << 10, 512 << 10])
      loop.tick()
      #expect(received == [1 << 20, 1 << 20])
    }
  }

  @Test("the end after bytes that fill the limit of a tick is noticed")
  func endAtLimit() throws {
    try withLoop { loop in
      let (connection, peer) = try loop.pair()
      var (received, rest) = (0, 384 << 10)
      connection.onRead = { bytes in
        received += bytes.byteCount
        rest -= peer.sendWhatFits(min(bytes.byteCount, rest))
        if rest == 0 { peer.finishSending() }
      }
      var isClosed = false
      connection.onClose = { _ in isClosed = true }
      #expect(peer.sendWhatFits(128 << 10) == 128 << 10)
      loop.tick()
      #expect(received == 512 << 10 && !isClosed)
      try loop.run { isClosed }
      #expect(received == 512 << 10)
    }
  }
}
