// Tasks read from the connections of a server. Another thread writes to a connection.
//
// Prints:
//   the client received: hello
//   the client received: from another thread

import Dispatch
import LoopTransactions
import LoopTransactionsIO

// snippet.thread
func writeFromAnotherThread(_ client: Connection, on loop: EventLoop) {
  let port = loop.port
  let bound = LoopBound(client, on: loop)
  DispatchQueue.global().async {
    try? port.post {
      bound.withValue { _ = $0.write("from another thread\n") }
    }
  }
}
// snippet.end

/// Sends a line, prints two lines of the server, and then stops the loop.
func tryOut(_ server: Listener, on loop: EventLoop) {
  loop.connect(to: server.endpoint) { result in
    guard case .success(let client) = result else { return loop.stop() }
    var count = 0
    client.onRead = { bytes in
      print("the client received:", String(copying: bytes), terminator: "")
      count += 1
      if count == 1 { return writeFromAnotherThread(client, on: loop) }
      client.close()
      server.close()
      loop.stop()
    }
    client.write("hello\n")
  }
}

// snippet.echo
try EventLoop.runMain { loop in
  let address = Endpoint.tcp(host: "127.0.0.1", port: 0)
  let server = try loop.listen(on: address) { client in
    Task {
      for try await bytes in client.chunks { client.write(bytes) }
    }
  }
  tryOut(server, on: loop)
}
// snippet.end
