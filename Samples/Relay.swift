// A relay: passes the bytes of one connection on to another, as fast as the other
// receives. It stops reading while the other's queue is full, so memory is bounded.
//
// Prints:
//   the receiver got 16777216 bytes

import LoopTransactions
import LoopTransactionsIO

// snippet.relay
/// Sends everything that `source` receives to `sink`.
func relay(from source: Connection, to sink: Connection) {
  source.onRead = { bytes in
    sink.write(bytes)
    if !sink.isWritable { source.pauseReading() }
  }
  sink.onDrain = { source.resumeReading() }
  source.onEnd = { sink.finishWriting() }
}
// snippet.end

let loop = try EventLoop()
let address = Endpoint.tcp(host: "127.0.0.1", port: 0)
var received = 0
let receiver = try loop.listen(on: address) { connection in
  connection.onRead = { bytes in received += bytes.byteCount }
  connection.onEnd = { loop.stop() }
}
let entrance = try loop.listen(on: address) { source in
  source.pauseReading()
  loop.connect(to: receiver.endpoint) { result in
    guard case .success(let sink) = result else { return loop.stop() }
    relay(from: source, to: sink)
    source.resumeReading()
  }
}
loop.connect(to: entrance.endpoint) { result in
  guard case .success(let sender) = result else { return loop.stop() }
  sender.write([UInt8](repeating: 1, count: 16 << 20))
  sender.finishWriting()
}
loop.run()
print("the receiver got", received, "bytes")
try loop.close()
