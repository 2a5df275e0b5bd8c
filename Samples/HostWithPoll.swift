// A host whose own loop calls poll(2), and that runs an event loop in turns.
//
// Prints:
//   committed between two turns
//   timer
//   posted from another thread

// snippet.imports
import Dispatch
import LoopTransactions

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif
// snippet.end

// snippet.panel
final class Panel {
  static let draw = Selector<Panel>("draw") { $0.draw() }
  private(set) var isOpen = true
  private let loop: EventLoop

  init(on loop: EventLoop) { self.loop = loop }

  private func draw() {
    print("committed between two turns")
    loop.addTimer(after: .milliseconds(20)) { _ in self.load() }
  }

  private func load() {
    print("timer")
    let (port, panel) = (loop.port, LoopBound(self, on: loop))
    DispatchQueue.global().async {
      try? port.post { panel.withValue { $0.close() } }
    }
  }

  private func close() {
    print("posted from another thread")
    isOpen = false
  }
}
// snippet.end

// snippet.wait
/// Waits until `descriptor` is readable or `time` is over. Waits without a
/// limit if `time` is nil.
func wait(for descriptor: Int32, atMost time: Duration?) {
  var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
  let milliseconds = time.map {
    Int32(clamping: Int64($0 / .milliseconds(1)))
  }
  poll(&entry, 1, milliseconds ?? -1)
}
// snippet.end

// snippet.turns
let loop = try EventLoop()
let embedding = Embedding(loop)
let panel = Panel(on: loop)
loop.commit(panel, Panel.draw)
while panel.isOpen {
  wait(for: embedding.pollDescriptor, atMost: embedding.nextTimeout)
  embedding.turn()
}
embedding.cancel()
try loop.close()
// snippet.end
