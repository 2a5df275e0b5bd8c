import LoopTransactions
import LoopTransactionsIO
import TestSupport
import Testing

@Suite("Connections in an embedded loop")
struct EmbeddedTests {
  /// A loop that a host runs, and how often the host was notified.
  private final class Hosted {
    let loop: EventLoop
    private var embedding: Embedding?
    private(set) var lastTimeout: Duration?
    private(set) var changes = 0

    init(_ loop: EventLoop) {
      self.loop = loop
      embedding = Embedding(loop) { [unowned self] in
        changes += 1
        lastTimeout = embedding?.nextTimeout
      }
    }

    /// Makes turns until none is due.
    func settle() {
      repeat { embedding?.turn() } while embedding?.nextTimeout == .zero
    }

    /// Makes turns until `condition` holds.
    func turn(until condition: () -> Bool) -> Bool {
      inTime {
        embedding?.turn()
        return condition()
      }
    }

    func end() { embedding?.cancel() }

    /// Whether `body` alone makes the host aware that a turn is due now.
    func learns(of body: () throws -> Void) rethrows -> Bool {
      settle()
      let before = changes
      lastTimeout = nil
      try body()
      return changes > before && lastTimeout == .zero
    }
  }

  @Test("a host learns of each change to a connection that needs a turn")  // E7, I31
  func connection() throws {
    try withLoop { loop in
      let (connection, peer) = try loop.pair()
      let hosted = Hosted(loop)
      var (bytes, isClosed) = (0, false)
      #expect(hosted.learns { connection.onRead = { bytes += $0.byteCount } })
      hosted.settle()
      connection.pauseReading()
      #expect(hosted.learns { connection.resumeReading() })
      peer.send("a")
      #expect(hosted.turn { bytes == 1 })
      #expect(hosted.learns { connection.finishWriting() })
      connection.onClose = { _ in isClosed = true }
      #expect(hosted.learns { connection.closeImmediately() })
      #expect(hosted.turn { isClosed })
      hosted.end()
    }
  }

  @Test("a host learns of a connection that is made between its turns", arguments: [true, false])
  func connect(hasTimeout: Bool) throws {  // E7, I31
    try withLoop { loop in
      let listener = try loop.listen(on: .loopback) { $0.closeImmediately() }
      let (hosted, endpoint) = (Hosted(loop), listener.endpoint)
      var isConnected: Bool?
      let learns = hosted.learns {
        loop.connect(to: endpoint, timeout: hasTimeout ? .seconds(600) : nil) { result in
          isConnected = (try? result.get()) != nil
          try? result.get().closeImmediately()
        }
      }
      #expect(learns)
      #expect(hosted.turn { isConnected != nil })
      #expect(isConnected == true)
      listener.close()
      hosted.settle()
      hosted.end()
    }
  }
}
