// The compile errors that the article Troubleshooting explains. Those about 'sending' are in
// LoopElsewhere and LoopToAnActor.
import LoopTransactions

final class Label { var text = "" }

func postLabel(_ label: Label, _ port: LoopPort) throws {
  // error: capture of 'label' with non-Sendable type 'Label' in a '@Sendable' closure
  try port.post { label.text = "new" }
}

@MainActor
final class Window {
  var isOpen = true

  func close() { isOpen = false }

  func follow(_ loop: EventLoop, _ port: LoopPort) throws {
    loop.post { self.close() }
    // error: call to main actor-isolated instance method 'close()' in a synchronous nonisolated context
    try port.post { self.close() }
    // error: be mutated from a Sendable closure
    try port.post { self.isOpen = false }
  }
}

func closed(_ window: Window) {
  // error: call to main actor-isolated instance method 'close()' in a synchronous nonisolated context
  window.close()
}

func allowed(_ label: LoopBound<Label>, _ window: Window, _ port: LoopPort) throws {
  try port.post { label.withValue { $0.text = "new" } }
  try port.post { MainActor.assumeIsolated { window.close() } }
}
