// A host that cannot wait for a descriptor: a thread that runs the closures it finds
// in its mailbox. An ExecutorHost runs a loop on it.
//
// Prints:
//   on the host's thread: true
//   laid out: abc
//   the host has ended

import Dispatch
import LoopTransactions

// snippet.mailbox
/// Runs closures of other threads, one at a time, until it is closed.
final class Mailbox: Sendable {
  private let closures = Locked<[@Sendable () -> Void]?>([])
  private let arrived = DispatchSemaphore(value: 0)

  /// Returns false if the mailbox is closed.
  func put(_ closure: @escaping @Sendable () -> Void) -> Bool {
    let isOpen = closures.withLock { closures -> Bool in
      closures?.append(closure)
      return closures != nil
    }
    arrived.signal()
    return isOpen
  }

  func run() {
    while true {
      arrived.wait()
      guard let batch = takeAll() else { return }
      for closure in batch { closure() }
    }
  }

  private func takeAll() -> [@Sendable () -> Void]? {
    closures.withLock { closures in
      defer { if closures != nil { closures = [] } }
      return closures
    }
  }

  func close() {
    closures.withLock { $0 = nil }
    arrived.signal()
  }
}
// snippet.end

final class Label: Sendable {
  static let layout = Selector<Label>("layout") { $0.layOut() }
  private let text = Locked("")

  func set(_ text: String) { self.text.withLock { $0 = text } }
  func layOut() { print("laid out:", text.withLock { $0 }) }
}

let mailbox = Mailbox()
let ended = DispatchSemaphore(value: 0)
DispatchQueue(label: "host").async {
  mailbox.run()
  ended.signal()
}

// snippet.host
let executor = HostExecutor(execute: { work in mailbox.put(work) })
let host = try await ExecutorHost.make(on: executor)
let isOnHost = try await host.port.run { loop in EventLoop.current === loop }
print("on the host's thread:", isOnHost)
let label = Label()
try await host.port.run { loop in
  for text in ["a", "ab", "abc"] {
    label.set(text)
    loop.commit(label, Label.layout)
  }
}
try await host.close()  // before the host shuts down
mailbox.close()
// snippet.end
@Sendable func waitForEnd() { ended.wait() }
waitForEnd()
print("the host has ended")
