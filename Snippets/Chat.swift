// A chat server, and two clients on the same loop. Each message goes to all
// other clients. The messages of a tick leave with one system call per client.
//
// Prints:
//   bob received: hello, bob

// snippet.server
import LoopTransactions
import LoopTransactionsIO

let loop = try EventLoop()
var clients: Set<Connection> = []
let server = try loop.listen(on: .tcp(host: "127.0.0.1", port: 0)) { client in
  clients.insert(client)
  client.onRead = { bytes in
    // A client that does not receive misses messages.
    for other in clients where other != client && other.isWritable { other.write(bytes) }
  }
  client.onClose = { _ in clients.remove(client) }
}
// snippet.end

loop.connect(to: server.endpoint) { result in
  guard case .success(let bob) = result else { return loop.stop() }
  bob.onRead = { bytes in
    print("bob received:", String(copying: bytes))
    loop.stop()
  }
  loop.connect(to: server.endpoint) { result in
    guard case .success(let ann) = result else { return loop.stop() }
    ann.write("hello")
    ann.write(", bob")
  }
}
loop.run()
try loop.close()
