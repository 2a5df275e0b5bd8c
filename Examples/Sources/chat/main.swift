import Foundation
import LoopTransactions
import LoopTransactionsIO

// usage: chat [PORT]
//
// A chat server. Each line of a client goes to all other clients. All lines that arrive
// in a tick are sent with one write per client.

let loop = try EventLoop()
var clients: Set<Connection> = []
var (joined, writes) = (0, 0)
var isEnding = false

@MainActor func say(_ text: String, except sender: Connection? = nil) {
  let bytes = SharedBytes(text)
  for client in clients where client != sender {
    // False if the client's socket is full and 1 MB waits. A client that does not read
    // must not use memory without bound.
    if client.isWritable { client.write(bytes) } else { client.closeImmediately() }
  }
}

let port = Int(CommandLine.arguments.dropFirst().first ?? "7000") ?? 7000
let listener = try loop.listen(on: .tcp(host: "127.0.0.1", port: port)) { client in
  joined += 1
  let name = "guest\(joined)"
  clients.insert(client)
  say("\(name) joined, \(clients.count) here\n")
  var input: [UInt8] = []
  client.onRead = { bytes in
    input += Array(copying: bytes)
    let end = input.lastIndex(of: 10).map { $0 + 1 } ?? 0
    for line in input[..<end].split(separator: 10) {
      say("\(name): \(String(decoding: line, as: UTF8.self))\n", except: client)
    }
    input.removeFirst(end)
    if input.count > 4096 { client.close() }
  }
  client.onClose = { _ in
    clients.remove(client)
    writes += client.writeCount
    say("\(name) left, \(clients.count) here\n")
    if isEnding, clients.isEmpty { loop.stop() }
  }
}

/// Sends the clients the messages that wait, and ends the server within 5 s.
@MainActor func shutDown() {
  isEnding = true
  listener.close()
  if clients.isEmpty { loop.stop() }
  for client in clients { client.close() }
  loop.addTimer(after: .seconds(5)) { _ in loop.stop() }
}

for signal in [SIGINT, SIGTERM] { try loop.onSignal(signal) { shutDown() } }
print("listening on \(listener.endpoint)")
fflush(nil)
loop.run()
try loop.close()
print("\(joined) clients, \(writes) writes")
