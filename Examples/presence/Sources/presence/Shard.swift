import LoopTransactions
import LoopTransactionsIO

/// The clients of one loop. Belongs to that loop.
final class Shard {
  static let report = Selector<Shard>("report") { $0.report() }

  struct Counts: Sendable {
    var (lines, writes) = (0, 0)
  }

  let loop: EventLoop
  let coalesces: Bool
  var counts = Counts()
  private let node: Remote<Node>
  private var teams: [Int: Team] = [:]
  // The changes of this tick's clients.
  private var changes: Versions = [:]

  init(of node: Remote<Node>, coalesces: Bool, on loop: EventLoop) {
    (self.node, self.coalesces, self.loop) = (node, coalesces, loop)
  }

  /// Accepts clients. Returns the port.
  func listen(on host: String, _ port: Int, isShared: Bool) throws -> Int {
    let endpoint = Endpoint.tcp(host: host, port: port)
    let listener = try loop.listen(on: endpoint, reusesPort: isShared) { [unowned self] in
      accept($0)
    }
    guard case .tcp(_, let port) = listener.endpoint else { return port }
    return port
  }

  /// Each line of a client has the number of its user and its version.
  private func accept(_ connection: Connection) {
    var lines = NumberLines()
    var team: Team?
    connection.onRead = { [unowned self] bytes in
      lines.append(bytes) { number, version in
        guard number >= 0, version >= 0 else { return connection.closeImmediately() }
        let user = User(number: number)
        if team == nil {
          team = self.team(user.team)
          team?.add(connection)
        }
        if version > 0 { changed(user, version) }
      }
    }
    connection.onClose = { [unowned self] _ in
      team?.remove(connection)
      counts.writes += connection.writeCount
    }
  }

  private func changed(_ user: User, _ version: Version) {
    guard coalesces else { return node.post { $0.changed([user: version]) } }
    changes[user] = max(changes[user] ?? 0, version)
    loop.commit(self, Shard.report)
  }

  private func report() {
    node.post { [changes] in $0.changed(changes) }
    changes = [:]
  }

  /// Takes changes of all nodes' clients.
  func update(_ versions: Versions) {
    for (user, version) in versions { team(user.team).update(user, version) }
  }

  private func team(_ number: Int) -> Team {
    if let team = teams[number] { return team }
    let team = Team(on: self)
    teams[number] = team
    return team
  }

  /// The counts, with the writes of open connections.
  var totals: Counts {
    var counts = counts
    for team in teams.values { counts.writes += team.writeCount }
    return counts
  }
}
