import Foundation
import LoopTransactions
import LoopTransactionsIO

// usage: chat [PORT]
//
// A chat server. Each line of a client goes to all other clients. All lines that arrive
// in a tick are sent with one write per client.
//
// exit: 0 stopped by SIGINT or SIGTERM · 1 the server failed · 2 usage error

/// Returns the result of `body`. Ends the program with a message and code 1 if it throws,
/// because an error that leaves `main.swift` would end it by a trap.
func orExit<Value>(_ body: () throws -> Value) -> Value {
  do { return try body() } catch { fail("\(error)", code: 1) }
}

func fail(_ message: String, code: Int32) -> Never {
  FileHandle.standardError.write(Data("chat: \(message)\n".utf8))
  exit(code)
}

/// Returns the port on the command line.
func port(default number: Int) -> Int {
  guard let word = CommandLine.arguments.dropFirst().first else { return number }
  if let port = Int(word), (0...65_535).contains(port) { return port }
  fail("PORT must be from 0 to 65535, got '\(word)'", code: 2)
}

let loop = orExit { try EventLoop() }
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

@MainActor func welcome(_ client: Connection) {
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

let address = Endpoint.tcp(host: "127.0.0.1", port: port(default: 7000))
let listener = orExit { try loop.listen(on: address) { client in welcome(client) } }

/// Sends the clients the messages that wait, and ends the server within 5 s.
@MainActor func shutDown() {
  isEnding = true
  listener.close()
  if clients.isEmpty { loop.stop() }
  for client in clients { client.close() }
  loop.addTimer(after: .seconds(5)) { _ in loop.stop() }
}

orExit { for signal in [SIGINT, SIGTERM] { try loop.onSignal(signal) { shutDown() } } }
print("listening on \(listener.endpoint)")
fflush(nil)
loop.run()
orExit { try loop.close() }
print("\(joined) clients, \(writes) writes")
