import LoopTransactions
import LoopTransactionsIO
import LoopTransactionsTesting
import TestSupport
import Testing

@Suite("Writing to connections")
struct WritingTests {
  @Test("the writes of a tick leave in one system call, after the transactions")  // E7
  func coalescing() throws {
    try withLoop { loop in
      let (connection, peer) = try loop.pair()
      let (other, otherPeer) = try loop.pair()
      loop.commit { connection.write("c") }
      connection.write("a")
      other.write([120])
      connection.write(Array("b".utf8))
      loop.commit { connection.write(SharedBytes("d")) }
      #expect(connection.queuedBytes == 2)
      #expect(peer.receive() == [])
      let before = Interposed.writes
      loop.tick()
      if Interposed.isAvailable { #expect(Interposed.writes - before == 2) }
      #expect(peer.text == "abcd")
      #expect(otherPeer.text == "x")
    }
  }

  @Test("a hundred writes of one callback cost one system call")
  func oneCall() throws {
    guard Interposed.isAvailable else { return }
    try withLoop { loop in
      let (connection, peer) = try loop.pair()
      for _ in 0..<3 {
        loop.tick()
        for _ in 0..<100 { connection.write([UInt8](repeating: 7, count: 200)) }
        let before = Interposed.writes
        loop.tick()
        #expect(Interposed.writes - before == 1)
        #expect(peer.receive()?.count == 20_000)
      }
    }
  }

  @Test("flush() sends at once, and a write after it leaves with the tick")
  func flush() throws {
    try withLoop { loop in
      let (connection, peer) = try loop.pair()
      connection.write("now")
      connection.flush()
      #expect(peer.text == "now")
      connection.write("later")
      #expect(peer.text == "")
      loop.tick()
      #expect(peer.text == "later")
    }
  }

  @Test("the writes of a tick are one write to the system, and without writes none")  // E7
  func writeCount() throws {
    try withLoop { loop in
      let (connection, peer) = try loop.pair()
      let before = Interposed.writes
      for _ in 0..<5 { connection.write("x") }
      connection.write(SharedBytes([UInt8](repeating: 1, count: 4096)))
      #expect(connection.writeCount == 0)
      loop.tick(3)
      connection.flush()
      #expect(connection.writeCount == 1)
      #expect(peer.receive()?.count == 4101)
      connection.write("y")
      connection.flush()
      connection.write("z")
      connection.write("")
      loop.tick()
      #expect(connection.writeCount == 3)
      if Interposed.isAvailable { #expect(Interposed.writes - before == 3) }
      var last = 0
      connection.onClose = { _ in last = connection.writeCount }
      connection.close()
      loop.tick(2)
      #expect(last == 3)
    }
  }

  @Test("bytes that wait for the socket are one more write, which flush() does not repeat")
  func waiting() throws {
    try withLoop { loop in
      let (connection, peer) = try loop.pair()
      let bytes = (0..<4 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31) }
      connection.write(bytes)
      connection.flush()
      #expect(connection.writeCount == 2)
      let before = Interposed.writes
      connection.write("last")
      connection.flush()
      #expect(connection.writeCount == 2)
      if Interposed.isAvailable { #expect(Interposed.writes == before) }
      var received: [UInt8] = []
      try loop.run {
        received += peer.receive() ?? []
        return received.count == bytes.count + 4
      }
      #expect(received == bytes + Array("last".utf8))
    }
  }

  @Test("many connections written in a tick are all sent, in the order of their first writes")
  func broadcast() throws {
    try withLoop { loop in
      let pairs = try (0..<100).map { _ in try loop.pair() }
      let message = SharedBytes(String(repeating: "m", count: 2000))
      for (connection, _) in pairs { connection.write(message) }
      for (connection, _) in pairs { connection.write("!") }
      try loop.run { pairs.allSatisfy { $0.0.queuedBytes == 0 } }
      for (_, peer) in pairs { #expect(peer.receive()?.count == 2001) }
    }
  }

  @Test("sending is carried over when the budget is spent, and the loop does not block before")
  func budget() throws {
    try withSteppedLoop { stepped in
      let loop = stepped.loop
      loop.budget = EventLoop.Budget(time: .milliseconds(1))
      loop.commit { stepped.spend(.milliseconds(5)) }
      let pairs = try (0..<40).map { _ in try loop.pair() }
      for (connection, _) in pairs { connection.write("x") }
      stepped.step()
      let sent = pairs.count { $0.0.queuedBytes == 0 }
      #expect(sent == 16)
      #expect(!stepped.isIdle)
      stepped.runUntilIdle()
      #expect(pairs.allSatisfy { $0.1.text == "x" })
    }
  }

  @Test("finishWriting() sends the bytes that wait for the socket before the end")
  func halfClose() throws {
    try withLoop { loop in
      let (connection, peer) = try loop.pair()
      let events = Events(of: connection)
      let count = 3 << 20
      connection.write([UInt8](repeating: 1, count: count))
      connection.flush()
      connection.finishWriting()
      #expect(connection.queuedBytes > 0 && !connection.write("x"))
      var received = 0
      try loop.run {
        received += peer.receive()?.count ?? 0
        return received == count
      }
      loop.tick(3)
      #expect(peer.hasEnded)
      peer.send("reply")
      try loop.run { events.text == "reply" }
      #expect(connection.isOpen)
    }
  }

  @Test("a reset drops the queued bytes, and onClose is the only callback")
  func reset() throws {
    try withLoop { loop in
      let (connection, peer) = try loop.tcpPeer()
      let events = Events(of: connection)
      connection.write([UInt8](repeating: 1, count: 16 << 20))
      connection.flush()
      #expect(connection.queuedBytes > 0 && !connection.isWritable)
      peer.reset()
      try loop.run { events.isClosed }
      #expect(["close ECONNRESET", "close EPIPE"].contains(events.list[0]))
      #expect(events.list.count == 1)
      #expect(connection.queuedBytes == 0)
      #expect(!connection.write("x"))
    }
  }

  @Test("onDrain is called at the low mark, also inside a large write")
  func drainInsideWrite() throws {
    try withLoop { loop in
      let (connection, peer) = try loop.pair()
      connection.setWaterMarks(low: 4 << 20, high: 8 << 20)
      var queued: Int?
      connection.onDrain = { queued = connection.queuedBytes }
      connection.write([UInt8](repeating: 1, count: 12 << 20))
      #expect(!connection.isWritable)
      try loop.run {
        _ = peer.receive()
        return queued != nil
      }
      #expect((3 << 20...4 << 20).contains(queued ?? 0))
    }
  }

  @Test("the default marks are 256 KB and 1 MB, and higher ones can make a connection writable")
  func marks() throws {
    try withLoop { loop in
      let (connection, peer) = try loop.pair()
      let events = Events(of: connection)
      #expect((connection.lowWater, connection.highWater) == (256 << 10, 1 << 20))
      connection.write([UInt8](repeating: 1, count: (1 << 20) - 1))
      #expect(connection.isWritable)
      // More than the socket takes.
      connection.write([UInt8](repeating: 1, count: 1 << 20))
      #expect(!connection.isWritable)
      connection.setWaterMarks(low: 2 << 20, high: 3 << 20)
      #expect(connection.isWritable && events.list == ["drain"])
      #expect((connection.lowWater, connection.highWater) == (2 << 20, 3 << 20))
      connection.setWaterMarks(low: 0, high: 1)
      #expect(!connection.isWritable && events.list == ["drain"])
      withExtendedLifetime(peer) {}
    }
  }

  @Test("a connection is writable if the socket takes enough bytes at once")
  func partialWrite() throws {
    try withLoop { loop in
      let (connection, peer) = try loop.pair()
      let events = Events(of: connection)
      let count = 4 << 20
      connection.setWaterMarks(low: count, high: count + 1)
      connection.write([UInt8](repeating: 1, count: count))
      connection.setWaterMarks(low: count - 1, high: count)
      #expect(!connection.isWritable)
      loop.tick()
      #expect(connection.isWritable && events.list == ["drain"])
      #expect(connection.queuedBytes > 0)
      withExtendedLifetime(peer) {}
    }
  }

  @Test("writes in onDrain are sent in later ticks, and do not keep the loop busy")
  func writesInDrain() throws {
    try withLoop { loop in
      let (connection, peer) = try loop.pair()
      connection.setWaterMarks(low: 0, high: 1)
      var written = 0
      func fill() {
        while connection.isWritable, written < 100 {
          connection.write("x")
          written += 1
        }
      }
      connection.onDrain = fill
      fill()
      // 16 are sent at once.
      #expect(written == 17)
      loop.tick()
      #expect(written < 100)
      try loop.run { written == 100 && connection.queuedBytes == 0 }
      #expect(peer.text == String(repeating: "x", count: 100))
    }
  }

  @Test("bytes and text are copied from a span, and invalid code units are replaced")
  func copies() throws {
    try withLoop { loop in
      let (connection, peer) = try loop.pair()
      var (bytes, text) = ([UInt8](), "")
      connection.onRead = { span in
        bytes = [UInt8](copying: span)
        text = String(copying: span)
      }
      peer.send([0x61, 0xFF, 0x62])
      try loop.run { !bytes.isEmpty }
      #expect(bytes == [0x61, 0xFF, 0x62])
      #expect(text == "a\u{FFFD}b")
      #expect(SharedBytes("é").count == 2)
    }
  }
}
