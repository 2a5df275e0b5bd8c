// A host with a loop of its own, here one of poll(2), that runs an event loop by turns.
//
// Prints:
//   committed between two turns
//   posted from another thread
//   timer

import Dispatch
import LoopTransactions

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

final class Panel: Sendable {
  static let draw = Selector<Panel>("draw") { _ in print("committed between two turns") }
}

/// Waits until `descriptor` is readable, or the time is over; nil has no end.
func wait(for descriptor: Int32, atMost time: Duration?) {
  var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
  let milliseconds = time.map { Int32(clamping: Int64($0 / .milliseconds(1))) }
  poll(&entry, 1, milliseconds ?? -1)
}

let loop = try EventLoop()
let embedding = Embedding(loop)
let port = loop.port
var isRunning = true

loop.commit(Panel(), Panel.draw)
loop.addTimer(after: .milliseconds(20)) { _ in
  print("timer")
  isRunning = false
}
DispatchQueue.global().async { try? port.post { print("posted from another thread") } }
while isRunning {
  wait(for: embedding.pollDescriptor, atMost: embedding.nextTimeout)
  embedding.turn()
}
embedding.end()
try loop.close()
