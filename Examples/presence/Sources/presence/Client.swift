import LoopTransactions
import LoopTransactionsIO

/// The client of a user. Belongs to the loop's thread.
final class Client {
  let user: User
  private let endpoint: Endpoint
  private unowned let population: Population
  private var connection: Connection?
  private var lines = NumberLines()
  // When the user's changes were due, in nanoseconds of the monotonic clock. The version of a
  // change is its place here, from 1.
  private(set) var changes: [UInt64] = []
  /// The newest version of each member of the team that the client has received.
  private(set) var views: [Int32]

  init(_ user: User, at endpoint: Endpoint, of population: Population) {
    (self.user, self.endpoint, self.population) = (user, endpoint, population)
    views = Array(repeating: 0, count: population.options.team)
  }

  /// Changes the user's state.
  func change(due time: UInt64) {
    changes.append(time)
    sendNewest()
  }

  /// A new connection, too, begins with the newest version: the last one may have lost it.
  private func sendNewest() {
    guard let connection else { return }
    var bytes: [UInt8] = []
    bytes.appendLine(user, changes.count)
    connection.write(bytes)
  }
}

// The connection.
extension Client {
  func connect() {
    population.loop.connect(to: endpoint) { [unowned self] result in
      switch result {
      case .success(let connection): connected(connection)
      case .failure(let error):
        population.couldNotConnect(error)
        connectLater()
      }
    }
  }

  private func connectLater() {
    population.loop.addTimer(after: .milliseconds(100)) { [unowned self] _ in connect() }
  }

  private func connected(_ connection: Connection) {
    self.connection = connection
    lines = NumberLines()
    connection.onRead = { [unowned self] bytes in
      let now = population.now
      lines.append(bytes) { receive(User(number: $0), $1, at: now) }
    }
    connection.onClose = { [unowned self] _ in disconnected() }
    sendNewest()
    population.changeConnected(by: 1)
  }

  private func disconnected() {
    connection = nil
    // The node sends all states again, and each must arrive.
    population.unseen += views.reduce(0) { $0 + Int($1) }
    for place in views.indices { views[place] = 0 }
    population.changeConnected(by: -1)
    connectLater()
  }

  private func receive(_ user: User, _ version: Version, at time: UInt64) {
    guard user.team == self.user.team, views.indices.contains(user.place) else { return }
    let old = Int(views[user.place])
    population.lines += 1
    guard version > old else { return }
    views[user.place] = Int32(version)
    population.saw(user, after: old, upTo: version, at: time)
  }
}
