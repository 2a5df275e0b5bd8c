import LoopTransactions
import LoopTransactionsIO

// The examples of the documentation comments, compiled and not run. scripts/lib/blocks.py
// compares them.

@MainActor
private func chunks(_ connection: Connection) async throws {
  for try await bytes in connection.chunks {
    connection.write(bytes)
    try await connection.drain()
  }
}

@MainActor
private func connection(_ loop: EventLoop) throws {
  try loop.listen(on: .tcp(host: "127.0.0.1", port: 7000)) { connection in
    connection.onRead = { bytes in connection.write(bytes) }
  }
}

@MainActor
private func listener(_ loop: EventLoop) throws {
  let address = Endpoint.tcp(host: "127.0.0.1", port: 0)
  let listener = try loop.listen(on: address) { connection in
    connection.onRead = { bytes in connection.write(bytes) }
  }
  listener.close()
}

@MainActor
private func sharedBytes(_ clients: [Connection]) {
  let message = SharedBytes("the cat is back\n")
  for client in clients { client.write(message) }
}
