// A server that counts points. Clients send lines such as "ann 3". However many
// lines arrive in a tick, each client gets the scores once.
//
// With a port as its argument, the program serves until SIGINT or SIGTERM. Without
// one, it is its own client.
//
// Prints:
//   the client received: ann 4, bob 2
//   the client received: goodbye
//   3 lines, 1 message

// snippet.imports
#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif
import LoopTransactions
import LoopTransactionsIO
// snippet.end

// snippet.lines
/// Divides the bytes of a connection into lines.
struct Lines {
  private var rest: [UInt8] = []

  /// Adds received bytes, and returns the lines that are complete.
  mutating func append(_ bytes: RawSpan) -> [String] {
    rest += [UInt8](copying: bytes)
    var parts = rest.split(
      separator: UInt8(ascii: "\n"),
      omittingEmptySubsequences: false
    )
    rest = Array(parts.removeLast())
    return parts.map { String(decoding: $0, as: UTF8.self) }
  }

  /// The bytes of the line that is not complete.
  var restCount: Int { rest.count }
}
// snippet.end

// snippet.board
/// The points, and the connected clients. Belongs to the loop.
final class Scoreboard {
  static let publish = Selector<Scoreboard>("publish") { $0.publish() }

  private(set) var lineCount = 0
  private(set) var messageCount = 0
  private var points: [String: Int] = [:]
  private var clients: Set<Connection> = []
  private var isEnding = false
  private let loop: EventLoop

  init(on loop: EventLoop) { self.loop = loop }

  private func count(_ line: String) {
    let words = line.split(separator: " ")
    guard words.count == 2, let gained = Int(words[1]) else { return }
    lineCount += 1
    points[String(words[0]), default: 0] += gained
    loop.commit(self, Scoreboard.publish)
  }

  private func publish() {
    messageCount += 1
    let sorted = points.sorted { $0.key < $1.key }
    let scores = sorted.map { "\($0.key) \($0.value)" }
    let message = SharedBytes(scores.joined(separator: ", ") + "\n")
    // A client that does not receive misses these scores.
    for client in clients where client.isWritable { client.write(message) }
  }
}
// snippet.end

// snippet.serve
extension Scoreboard {
  func serve(_ client: Connection) {
    var lines = Lines()
    clients.insert(client)
    client.idleTimeout = .seconds(600)
    client.writeTimeout = .seconds(30)
    client.onRead = { [self] bytes in
      for line in lines.append(bytes) { count(line) }
      if lines.restCount > 1000 { client.closeImmediately() }
    }
    client.onClose = { [self] _ in
      clients.remove(client)
      stopIfEnded()
    }
  }
}
// snippet.end

// snippet.ending
extension Scoreboard {
  /// Ends all clients, and then stops the loop.
  func end(within limit: Duration) {
    if isEnding { return }
    isEnding = true
    for client in clients {
      client.write("goodbye\n")
      client.finishWriting()
    }
    loop.addTimer(after: limit) { [self] _ in
      for client in clients { client.closeImmediately() }
    }
    stopIfEnded()
  }

  private func stopIfEnded() {
    if isEnding, clients.isEmpty { loop.stop() }
  }
}
// snippet.end

// snippet.main
let loop = try EventLoop()
let board = Scoreboard(on: loop)
let port = CommandLine.arguments.dropFirst().first.flatMap { Int($0) }
let address = Endpoint.tcp(host: "127.0.0.1", port: port ?? 0)
let listener = try loop.listen(on: address) { client in
  board.serve(client)
}
@MainActor
func shutDown() {
  listener.close()
  board.end(within: .seconds(5))
}
for signal in [SIGINT, SIGTERM] {
  try loop.onSignal(signal) { shutDown() }
}
if port == nil {
  tryOut()
} else {
  print("listening on", listener.endpoint)
}
loop.run()
print("\(board.lineCount) lines, \(board.messageCount) message")
try loop.close()
// snippet.end

// snippet.client
@MainActor
func tryOut() {
  loop.connect(to: listener.endpoint) { result in
    guard case .success(let client) = result else { return loop.stop() }
    client.onRead = { bytes in
      print("the client received:", String(copying: bytes), terminator: "")
      shutDown()
    }
    client.write("ann 1\nbob 2\nann 3\n")
  }
}
// snippet.end
