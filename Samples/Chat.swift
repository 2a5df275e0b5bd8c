// A chat server, and two clients on the same loop. Each message goes to all
// other clients. The messages of a tick leave together, with one system call per
// client below its high water mark.
//
// Prints:
//   bob received: hello, bob

// snippet.server
import LoopTransactions
import LoopTransactionsIO

let loop = try EventLoop()
var clients: Set<Connection> = []
let address = Endpoint.tcp(host: "127.0.0.1", port: 0)
let server = try loop.listen(on: address) { client in
  clients.insert(client)
  client.onRead = { bytes in
    // A client misses messages while its socket is full and 1 MB waits.
    for other in clients where other != client && other.isWritable {
      other.write(bytes)
    }
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
