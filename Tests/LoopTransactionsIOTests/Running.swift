import LoopTransactions
import LoopTransactionsIO
import LoopTransactionsTesting
import TestSupport

struct TimedOut: Error {}

extension EventLoop {
  /// Runs until `condition` holds, for at most a minute.
  func run(until condition: () -> Bool) throws {
    let limit = addTimer(after: .seconds(60)) { _ in }
    defer { limit.cancel() }
    while !condition() {
      guard limit.isActive else { throw TimedOut() }
      run(.once)
    }
  }

  /// Makes `count` ticks that do not block.
  func tick(_ count: Int = 1) { for _ in 0..<count { run(.noWait) } }

  /// A connection and the peer at its other end.
  func pair() throws -> (Connection, Peer) {
    let (peer, other) = Peer.pair()
    return (try connection(adopting: other), peer)
  }

  /// An accepted connection over TCP, and the peer at its other end.
  func tcpPeer() throws -> (Connection, Peer) {
    var accepted: Connection?
    let listener = try listen(on: .loopback) { accepted = $0 }
    let peer = try Peer(to: listener.endpoint)
    try run { accepted != nil }
    listener.close()
    guard let accepted else { throw TimedOut() }
    return (accepted, peer)
  }

  /// Two connected connections over TCP, the accepted one first.
  func tcpPair() throws -> (Connection, Connection) {
    var (accepted, connected): (Connection?, Connection?)
    let listener = try listen(on: .loopback) { accepted = $0 }
    connect(to: listener.endpoint) { connected = try? $0.get() }
    try run { accepted != nil && connected != nil }
    listener.close()
    guard let accepted, let connected else { throw TimedOut() }
    return (accepted, connected)
  }
}

extension Endpoint {
  /// A free TCP port of this machine.
  static var loopback: Endpoint { .tcp(host: "127.0.0.1", port: 0) }
}

/// Records the callbacks of a connection.
final class Events {
  private(set) var list: [String] = []
  private(set) var bytes: [UInt8] = []

  init() {}

  /// Records all callbacks of `connection`.
  init(of connection: Connection, ends: Bool = true) {
    connection.onRead = { [self] in
      add("read")
      bytes += [UInt8](copying: $0)
    }
    if ends { connection.onEnd = { [self] in add("end") } }
    connection.onDrain = { [self] in add("drain") }
    connection.onClose = { [self] in add("close \($0?.name ?? "nil")") }
  }

  func add(_ event: String) { list.append(event) }

  var text: String { String(decoding: bytes, as: UTF8.self) }

  var isClosed: Bool { list.last?.hasPrefix("close") == true }
}
