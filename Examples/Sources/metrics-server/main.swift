import Foundation
import LoopTransactions
import LoopTransactionsIO

// usage: metrics-server [PORT]
//
// Serves the metrics of its loops over HTTP, in the text format of Prometheus: of the
// loop that serves them, and of two loops whose timers do a little work.

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

/// Serves one request.
func serve(_ client: Connection, metrics: @escaping () -> String) {
  var (head, isAnswered): ([UInt8], Bool) = ([], false)
  client.idleTimeout = .seconds(10)
  client.writeTimeout = .seconds(10)
  client.onRead = { bytes in
    // A client may send more than a head. It is read, so that the client gets the reply.
    if isAnswered { return }
    head += Array(copying: bytes)
    if head.count > 8192 {
      client.write(reply("431 Request Header Fields Too Large", "more than 8192 bytes\n"))
    } else if let end = head.firstRange(of: Array("\r\n\r\n".utf8)) {
      client.write(answer(to: head[..<end.lowerBound], metrics: metrics))
    } else {
      return
    }
    isAnswered = true
    client.finishWriting()
  }
}

let loop = try EventLoop()
let group = try LoopGroup(name: "worker", count: 2)
for thread in group.threads {
  try thread.port.postAndWait {
    guard let worker = EventLoop.current else { return }
    worker.recordsLatencies = true
    worker.addTimer(after: .milliseconds(10), every: .milliseconds(10)) { _ in
      // A third of a millisecond of work.
      let end = worker.now.advanced(by: .microseconds(333))
      while worker.now < end {}
    }
  }
}
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

let port = Int(CommandLine.arguments.dropFirst().first ?? "9464") ?? 9464
let listener = try loop.listen(on: .tcp(host: "127.0.0.1", port: port)) { client in
  serve(client) { metrics() }
}
for signal in [SIGINT, SIGTERM] { try loop.onSignal(signal) { loop.stop() } }
print("listening on \(listener.endpoint)")
fflush(nil)
loop.run()
try group.shutDown()
try loop.close()
