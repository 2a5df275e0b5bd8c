import Foundation
import LoopTransactions
import LoopTransactionsIO

// usage: metrics-server [PORT]
//
// Serves the metrics of its loops over HTTP, in the text format of Prometheus: of the
// loop that serves them, and of two loops whose timers do a little work.
//
// exit: 0 stopped by SIGINT or SIGTERM · 1 the server failed · 2 usage error

/// Returns the result of `body`. Ends the program with a message and code 1 if it throws,
/// because an error that leaves `main.swift` would end it by a trap.
func orExit<Value>(_ body: () throws -> Value) -> Value {
  do { return try body() } catch { fail("\(error)", code: 1) }
}

func fail(_ message: String, code: Int32) -> Never {
  FileHandle.standardError.write(Data("metrics-server: \(message)\n".utf8))
  exit(code)
}

/// Returns the port on the command line.
func port(default number: Int) -> Int {
  guard let word = CommandLine.arguments.dropFirst().first else { return number }
  if let port = Int(word), (0...65_535).contains(port) { return port }
  fail("PORT must be from 0 to 65535, got '\(word)'", code: 2)
}

/// Returns a reply. Its connection ends after it.
func reply(_ status: String, _ body: String, type: String = "text/plain") -> String {
  """
  HTTP/1.1 \(status)\r
  Content-Type: \(type)\r
  Content-Length: \(body.utf8.count)\r
  Connection: close\r
  \r
  \(body)
  """
}

/// Returns the reply to the head of a request.
func answer(to head: some Sequence<UInt8>, metrics: () -> String) -> String {
  let text = String(decoding: Array(head), as: UTF8.self)
  let words = text.prefix { !$0.isNewline }.split(separator: " ")
  guard words.count == 3, words[2].hasPrefix("HTTP/1.") else {
    return reply("400 Bad Request", "expected GET /metrics HTTP/1.1\n")
  }
  guard words[0] == "GET" else {
    return reply("405 Method Not Allowed", "only GET is possible\n")
  }
  guard words[1] == "/metrics" || words[1].hasPrefix("/metrics?") else {
    return reply("404 Not Found", "the metrics are at /metrics\n")
  }
  return reply("200 OK", metrics(), type: PrometheusText.contentType)
}

/// The clients that are connected, the oldest first.
///
/// Slow clients must not use all descriptors. If there are too many clients, a new one
/// replaces the oldest. Each client is disconnected at a deadline, even while it sends or reads.
@MainActor enum Clients {
  static let limit = 32
  static let deadline = Duration.seconds(10)
  private static var all: [Connection] = []

  static func add(_ client: Connection, on loop: EventLoop) {
    if all.count == limit { all.removeFirst().closeImmediately() }
    all.append(client)
    let timer = loop.addTimer(after: deadline) { _ in client.closeImmediately() }
    client.onClose = { _ in
      timer.cancel()
      all.removeAll { $0 === client }
    }
  }
}

/// Serves one request.
func serve(_ client: Connection, metrics: @escaping () -> String) {
  var (head, isAnswered): ([UInt8], Bool) = ([], false)
  client.onRead = { bytes in
    // A client may send more than a head. It is read, so that the client gets the reply.
    if isAnswered { return }
    // The end may begin in the last three bytes of an earlier piece.
    let new = max(0, head.count - 3)
    head += Array(copying: bytes)
    if head.count > 8192 {
      client.write(reply("431 Request Header Fields Too Large", "more than 8192 bytes\n"))
    } else if let end = head[new...].firstRange(of: Array("\r\n\r\n".utf8)) {
      client.write(answer(to: head[..<end.lowerBound], metrics: metrics))
    } else {
      return
    }
    isAnswered = true
    client.finishWriting()
  }
}

/// Adds a timer with a little work to the loop of the calling thread.
@Sendable func startWork() {
  guard let worker = EventLoop.current else { return }
  worker.recordsLatencies = true
  worker.addTimer(after: .milliseconds(10), every: .milliseconds(10)) { _ in
    // A third of a millisecond of work.
    let end = worker.now.advanced(by: .microseconds(333))
    while worker.now < end {}
  }
}

let loop = orExit { try EventLoop() }
let group = orExit { try LoopGroup(name: "worker", count: 2) }
orExit { for thread in group.threads { try thread.port.postAndWait(startWork) } }
loop.recordsLatencies = true
loop.measuresTime = true

@MainActor func metrics() -> String {
  var text = PrometheusText()
  text.add("main", loop.metrics, loop.port.latencies)
  for thread in group.threads {
    text.add(thread.name, thread.port.metrics, thread.port.latencies)
  }
  return text.description
}

let address = Endpoint.tcp(host: "127.0.0.1", port: port(default: 9464))
let listener = orExit {
  try loop.listen(on: address) { client in
    Clients.add(client, on: loop)
    serve(client) { metrics() }
  }
}
orExit { for signal in [SIGINT, SIGTERM] { try loop.onSignal(signal) { loop.stop() } } }
print("listening on \(listener.endpoint)")
fflush(nil)
loop.run()
orExit {
  try group.shutDown()
  try loop.close()
}
