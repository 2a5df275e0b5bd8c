private import CLoopbench

/// What a thread waits at until another lets it pass.
final class Gate: Sendable {
  // A semaphore, which any thread may use.
  private let gate: Shared<OpaquePointer>

  init() throws(PeerFailure) {
    guard let gate = cl_gate_open() else { throw .noMemory }
    self.gate = Shared(gate)
  }

  deinit {
    cl_gate_close(gate.value)
  }

  func wait() { cl_gate_wait(gate.value) }

  func pass() { cl_gate_pass(gate.value) }
}
