package import CLoopbench
internal import Dispatch

/// Counts the items of a sample that have run, and records when the last item ran.
///
/// The item to post is `cl_finish_step` with `pointer` as its context. Items must
/// run on the loop's thread.
package final class CompletionCounter {
  package let pointer: UnsafeMutablePointer<cl_finish>

  /// Makes a completion counter. Call `reset(target:)` before each sample.
  ///
  /// - Parameter stop: Called with `context` on the loop's thread when the last
  ///   item has run.
  package init(
    stop: (@convention(c) (UnsafeMutableRawPointer?) -> Void)? = nil,
    context: UnsafeMutableRawPointer? = nil
  ) {
    // The counters have their own cache lines, so that a step does not invalidate
    // data that the producer reads.
    let memory = UnsafeMutableRawPointer.allocate(byteCount: 256, alignment: 128)
    pointer = memory.bindMemory(to: cl_finish.self, capacity: 1)
    pointer.initialize(
      to: cl_finish(ran: 0, target: 0, finished: 0, stop: stop, stop_context: context)
    )
  }

  deinit {
    UnsafeMutableRawPointer(pointer).deallocate()
  }

  /// Calls `stop` with `context` when the last item has run.
  package func stops(
    _ stop: @escaping @convention(c) (UnsafeMutableRawPointer?) -> Void,
    _ context: UnsafeMutableRawPointer
  ) {
    (pointer.pointee.stop, pointer.pointee.stop_context) = (stop, context)
  }

  /// Begins a sample of `target` items.
  package func reset(target: Int) {
    cl_finish_reset(pointer, UInt64(target))
  }

  /// The time from `began` until the last item had run, in ns.
  ///
  /// - Throws: `PeerError` if the loop returned before every item had run.
  package func nanoseconds(since began: UInt64) throws(PeerError) -> UInt64 {
    guard finished >= began, finished != 0 else {
      throw PeerError("only \(ran) items ran before the loop returned")
    }
    return finished - began
  }

  /// When the last item ran, in ns; 0 until then.
  package var finished: UInt64 { pointer.pointee.finished }

  /// The number of items that have run.
  package var ran: Int { Int(pointer.pointee.ran) }
}

extension Slice {
  /// Samples the times that `run` takes to make `finish` count all items.
  ///
  /// - Parameters:
  ///   - steps: The number of items of a sample. Nil for one for each operation.
  ///   - run: Starts the given number of operations, and runs the loop until it is stopped.
  @inline(__always)
  mutating func sample(
    _ steps: Int? = nil,
    to finish: CompletionCounter,
    run: (_ operations: Int) -> Void
  ) throws(PeerError) {
    try sample { (operations) throws(PeerError) in
      finish.reset(target: steps ?? operations)
      let began = cl_now()
      run(operations)
      return try finish.nanoseconds(since: began)
    }
  }
}

/// A semaphore that starts at 0.
final class Gate: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  func wait() { semaphore.wait() }

  func pass() { semaphore.signal() }
}

/// A list that visits its objects without retaining and releasing each of them.
///
/// In a loop over an `Array`, the optimizer does not remove the retain and the
/// release of each object. These cost more than a commit.
final class ObjectList<Object: AnyObject> {
  let count: Int
  private let items: UnsafeMutablePointer<Unmanaged<Object>>

  /// Makes a list of `count` objects by calling `make` with each index.
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

extension PeerError {
  static let noMemory = PeerError("could not create a mutex, a condition or a queue: no memory")
}
