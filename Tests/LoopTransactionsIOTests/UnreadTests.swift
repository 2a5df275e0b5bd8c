import LoopTransactions
import LoopTransactionsIO
import TestSupport
import Testing

@Suite("Connections that nothing reads")
struct UnreadTests {
  @Test("after finishWriting(), the peer's end closes a connection that nothing reads")  // E7
  func unreadHalfClose() throws {
    try withLoop { loop in
      var closed = 0
      let listener = try loop.listen(on: .loopback) { connection in
        connection.onClose = { if $0 == nil { closed += 1 } }
        connection.write("now\n")
        connection.finishWriting()
      }
      let silent = try Peer(to: listener.endpoint)
      let talking = try Peer(to: listener.endpoint)
      talking.send("GET / HTTP/1.1\r\n")
      try loop.run { silent.isReadable && talking.isReadable }
      loop.tick(3)
      #expect(closed == 0)
      #expect(silent.text == "now\n")
      silent.finishSending()
      talking.finishSending()
      try loop.run { closed == 2 }
    }
  }

  @Test("the peer's end is reported to onEnd without onRead")
  func unreadEnd() throws {
    try withLoop { loop in
      let (connection, peer) = try loop.pair()
      var ends = 0
      connection.onEnd = { ends += 1 }
      peer.send("x")
      peer.finishSending()
      try loop.run { ends == 1 }
      #expect(connection.isOpen)
    }
  }

  @Test("bytes that nothing reads slow the peer, and are kept for onRead")
  func unreadBytes() throws {
    try withLoop { loop in
      let (connection, peer) = try loop.pair()
      var log: [String] = []
      connection.onEnd = { log.append("end") }
      var sent = 0
      for _ in 0..<100 {
        sent += peer.sendWhatFits(64 << 10)
        loop.tick()
      }
      #expect((64 << 10..<6 << 20).contains(sent))
      var received = 0
      connection.onRead = {
        if received == 0 { log.append("read") }
        received += $0.byteCount
      }
      #expect(received == 0)
      connection.pauseReading()
      loop.tick(2)
      #expect(received == 0)
      connection.resumeReading()
      peer.finishSending()
      try loop.run { log.last == "end" }
      #expect(received == sent && log == ["read", "end"])
    }
  }

  @Test("bytes that arrived with the end are kept for an onRead that is set in onEnd")
  func readAfterEnd() throws {
    try withLoop { loop in
      let (connection, peer) = try loop.pair()
      var text = ""
      connection.onEnd = { connection.onRead = { text += String(copying: $0) } }
      peer.send("late")
      peer.finishSending()
      try loop.run { text == "late" }
    }
  }
}
