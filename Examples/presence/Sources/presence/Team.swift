import LoopTransactions
import LoopTransactionsIO

/// A group of users that see each other's states, with the clients that one loop serves.
/// Belongs to that loop.
final class Team {
  /// Performed once in a tick in which the states of members have changed.
  static let send = Selector<Team>("send") { $0.send() }

  private unowned let shard: Shard
  private var versions: Versions = [:]
  private var changed: Set<User> = []
  private var clients: Set<Connection> = []
  // Clients whose sockets are full. They get the newest states when they have read the others.
  private var late: Set<Connection> = []

  init(on shard: Shard) { self.shard = shard }

  var writeCount: Int { clients.reduce(0) { $0 + $1.writeCount } }

  /// Sends the states of all members to a client, and their changes from then on.
  func add(_ client: Connection) {
    clients.insert(client)
    client.onDrain = { [unowned self] in
      if late.remove(client) != nil { sendAll(to: client) }
    }
    sendAll(to: client)
  }

  func remove(_ client: Connection) {
    clients.remove(client)
    late.remove(client)
  }

  func update(_ user: User, _ version: Version) {
    guard version > versions[user] ?? 0 else { return }
    versions[user] = version
    changed.insert(user)
    if shard.coalesces { shard.loop.commit(self, Team.send) } else { send() }
  }

  private func send() {
    let bytes = SharedBytes(lines(of: changed))
    for client in clients {
      guard client.isWritable else {
        late.insert(client)
        continue
      }
      shard.counts.lines += changed.count
      client.write(bytes)
      if !shard.coalesces { client.flush() }
    }
    changed.removeAll(keepingCapacity: true)
  }

  private func sendAll(to client: Connection) {
    shard.counts.lines += versions.count
    client.write(lines(of: versions.keys))
  }

  private func lines(of users: some Sequence<User>) -> [UInt8] {
    var bytes: [UInt8] = []
    for user in users { bytes.appendLine(user, versions[user] ?? 0) }
    return bytes
  }
}
