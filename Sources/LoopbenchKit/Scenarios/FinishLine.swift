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
