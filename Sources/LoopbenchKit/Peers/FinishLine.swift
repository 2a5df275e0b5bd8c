package import CLoopbench

/// Where the items of a sample arrive: counts them, and stamps the last one.
///
/// `cl_finish_step` with `pointer` as its context is the item to post. What is
/// posted touches it on the loop's thread only.
package final class FinishLine {
  package let pointer: UnsafeMutablePointer<cl_finish>

  /// - Parameters:
  ///   - stop: Called when the last item ran, on the loop's thread.
  package init(
    stop: (@convention(c) (UnsafeMutableRawPointer?) -> Void)? = nil,
    context: UnsafeMutableRawPointer? = nil
  ) {
    // On lines of its own: a neighbour that the producer reads would be taken away
    // with each step.
    let memory = UnsafeMutableRawPointer.allocate(byteCount: 256, alignment: 128)
    pointer = memory.bindMemory(to: cl_finish.self, capacity: 1)
    pointer.initialize(
      to: cl_finish(ran: 0, target: 0, finished: 0, stop: stop, stop_context: context)
    )
  }

  deinit {
    UnsafeMutableRawPointer(pointer).deallocate()
  }

  /// Begins a sample of `target` items.
  package func reset(target: Int) {
    cl_finish_reset(pointer, UInt64(target))
  }

  /// From `began` until the last item ran, in ns.
  ///
  /// - Throws: When not every item ran: a loop that returned too early.
  package func nanoseconds(since began: UInt64) throws(PeerFailure) -> UInt64 {
    guard finished >= began, finished != 0 else {
      throw PeerFailure("only \(ran) items ran before the loop returned")
    }
    return finished - began
  }

  /// When the last item ran, in ns; 0 before.
  package var finished: UInt64 { pointer.pointee.finished }

  /// How many items ran.
  package var ran: Int { Int(pointer.pointee.ran) }
}

/// What a thread waits at until another lets it pass.
final class Gate: Sendable {
  // A semaphore, which any thread may use.
  private let gate: UnsafeTransfer<OpaquePointer>

  init() throws(PeerFailure) {
    guard let gate = cl_gate_open() else { throw .noMemory }
    self.gate = UnsafeTransfer(gate)
  }

  deinit {
    cl_gate_close(gate.value)
  }

  func wait() { cl_gate_wait(gate.value) }

  func pass() { cl_gate_pass(gate.value) }
}

/// Objects that are visited without a retain and a release for each, which the
/// optimiser leaves in a loop over an array, and which cost more than a commit.
final class ObjectList<Object: AnyObject> {
  let count: Int
  private let items: UnsafeMutablePointer<Unmanaged<Object>>

  /// Keeps `count` objects that `make` is asked for, each told its place.
  init(count: Int, _ make: (Int) -> Object) {
    self.count = count
    items = .allocate(capacity: count)
    for index in 0..<count { (items + index).initialize(to: .passRetained(make(index))) }
  }

  deinit {
    for index in 0..<count { items[index].release() }
    items.deallocate()
  }

  @inline(__always)
  func forEach(_ body: (Object) -> Void) {
    let items = items
    for index in 0..<count { items[index]._withUnsafeGuaranteedRef { body($0) } }
  }

  subscript(index: Int) -> Object { items[index].takeUnretainedValue() }
}

extension PeerFailure {
  static let noMemory = PeerFailure("the system has no memory left for a mutex or a condition")
}
