import CPQ
import ClientHost
import LoopTransactions

// usage: postgres-notify CONNECTION CHANNEL [--gtk]
//
// Sends each line of standard input as a notification of CHANNEL, and prints each
// notification of that channel. The lines of a tick are one transaction, which is sent in
// libpq's pipeline mode. CONNECTION is a connection string of libpq.

/// A channel of a PostgreSQL server. Belongs to the loop's thread.
final class Channel {
  private let (loop, name, server): (EventLoop, String, String)
  private var connection: OpaquePointer?
  private var watcher: CopyWatcher?
  private var isOpen = false
  // Lines that wait for a connection.
  private var waiting: [String] = []
  // The lines of each transaction that the server has not confirmed.
  private var unconfirmed: [[String]] = []
  private var isRefused = false
  private var (confirmed, refused, resent, connections) = (0, 0, 0, 0)

  /// Called when every line has been confirmed. Set it at the end of the input.
  var done: (() -> Void)? { didSet { endIfDone() } }

  init(_ name: String, of server: String, on loop: EventLoop) {
    (self.loop, self.name, self.server) = (loop, name, server)
    connect()
    // Once in each tick, after all lines and all input of that tick.
    loop.addObserver(for: .beforeWaiting) { [unowned self] _ in exchange() }
  }

  func notify(_ line: String) { waiting.append(line) }

  var summary: String {
    "confirmed \(confirmed), refused \(refused), resent \(resent), connections \(connections)"
  }

  private func endIfDone() {
    guard let done, waiting.isEmpty, unconfirmed.isEmpty else { return }
    disconnect()
    done()
  }
}

// The connection.
extension Channel {
  private func connect() {
    connection = PQconnectStart(server)
    if PQstatus(connection) == CONNECTION_BAD { fail() } else { follow(.writable) }
  }

  /// Polls the socket of a connection that is not open yet.
  private func follow(_ events: DescriptorEvents) {
    watcher = CopyWatcher(PQsocket(connection), for: events, on: loop) { [unowned self] in
      // libpq may try the next host, with another socket.
      watcher?.cancel()
      switch PQconnectPoll(connection) {
      case PGRES_POLLING_READING: follow(.readable)
      case PGRES_POLLING_WRITING: follow(.writable)
      case PGRES_POLLING_OK: opened()
      default: fail()
      }
    }
  }

  private func opened() {
    (isOpen, connections) = (true, connections + 1)
    PQsetnonblocking(connection, 1)
    PQenterPipelineMode(connection)
    // LISTEN has no parameters, and folds a name without quotes to lower case.
    guard let quoted = PQescapeIdentifier(connection, name, name.utf8.count) else { return fail() }
    lt_pq_send(connection, "LISTEN " + String(cString: quoted), nil, nil)
    PQfreemem(quoted)
    endTransaction(of: [])
    watcher = CopyWatcher(PQsocket(connection), for: .readable, on: loop) { [unowned self] in
      if PQconsumeInput(connection) == 0 { fail() }
    }
  }

  private func disconnect() {
    watcher?.cancel()
    PQfinish(connection)
    (connection, isOpen) = (nil, false)
  }

  /// Connects again later, and sends the lines again that may be lost.
  private func fail() {
    disconnect()
    let lines = unconfirmed.flatMap { $0 }
    resent += lines.count
    (waiting, unconfirmed, isRefused) = (lines + waiting, [], false)
    loop.addTimer(after: .milliseconds(50)) { [unowned self] _ in connect() }
  }
}

// Queries.
extension Channel {
  private func exchange() {
    guard isOpen else { return }
    if !waiting.isEmpty {
      for line in waiting { lt_pq_send(connection, "SELECT pg_notify($1, $2)", name, line) }
      endTransaction(of: waiting)
      waiting = []
    }
    let state = PQflush(connection)  // reads, too, so that both sides cannot block
    if state < 0 { return fail() }
    watcher?.events = state > 0 ? [.readable, .writable] : .readable
    receive()
  }

  private func endTransaction(of lines: [String]) {
    PQpipelineSync(connection)
    unconfirmed.append(lines)
  }

  private func receive() {
    while !unconfirmed.isEmpty, PQisBusy(connection) == 0 {
      let result = PQgetResult(connection)  // nil after the result of each query
      switch PQresultStatus(result) {
      case PGRES_PIPELINE_SYNC:
        let count = unconfirmed.removeFirst().count
        if isRefused { refused += count } else { confirmed += count }
        isRefused = false
      default: isRefused = isRefused || PQresultStatus(result) == PGRES_FATAL_ERROR && result != nil
      }
      PQclear(result)
    }
    while let notification = PQnotifies(connection) {
      say("got " + String(cString: notification.pointee.extra))
      PQfreemem(notification)
    }
    endIfDone()
  }
}

let loop = try EventLoop()
let host = ClientHost(loop, name: "postgres-notify")
guard host.arguments.count == 2 else { host.fail("usage: postgres-notify CONNECTION CHANNEL") }
let channel = Channel(host.arguments[1], of: host.arguments[0], on: loop)
host.readLines { line in
  if line == "summary" { return say(channel.summary) }
  if let line { channel.notify(line) } else { channel.done = { host.stop() } }
}
try host.run()
say(channel.summary)
