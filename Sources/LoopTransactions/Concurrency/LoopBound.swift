/// A value that belongs to a loop's thread, in a box that any thread may hold.
///
/// Carries a value that is not `Sendable` inside a value that is `Sendable`. An
/// example is a buffer in the closure of a post, or the loop itself in an actor
/// pinned to it.
///
/// ```swift
/// let lines = LoopBound([String](), on: loop)
/// try port.post { lines.withValue { $0.append("from another thread") } }
/// ```
///
/// See also: `NIOLoopBound` and `NIOLoopBoundBox` are the counterparts in
/// SwiftNIO.
public final class LoopBound<Value>: @unchecked Sendable {
  // @unchecked: `box` is constant. Its contents are accessed on the loop's
  // thread only, because every accessor traps on other threads.

  let core: PortCore
  let box: LoopBox<Value>

  /// Creates a box that binds `value` to the thread of `loop`.
  ///
  /// Call on the loop.
  public init(_ value: Value, on loop: EventLoop) {
    loop.checkThread("LoopBound.init")
    core = loop.core
    box = LoopBox(value)
  }

  // Releases the value on the loop: here, or in a posted item. Once the loop is
  // closed, releases the value on this thread.
  deinit {
    guard !core.isOnThread else { return }
    var item = PostedItem(releaseBox, box)
    if !core.append(item) { item.drop() }
  }

  /// Calls `body` with the value and returns its result.
  ///
  /// Call on the loop, even after the loop was closed. `body` must not use the
  /// box again. The compiler does not let parts of the value escape from `body`
  /// to another thread.
  ///
  /// While the loop is open, the value is released on the loop, whichever
  /// thread releases the box. Once the loop is closed, the value is released on
  /// the thread that releases the box.
  ///
  /// - Throws: The error of `body`.
  /// - Complexity: O(1), plus `body`.
  public func withValue<Result: ~Copyable, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    core.checkThread("LoopBound.withValue")
    return try body(&box.value)
  }
}

extension LoopBound where Value: Sendable {
  /// The value.
  ///
  /// Call on the loop, even after the loop was closed.
  public var value: Value {
    get {
      core.checkThread("LoopBound.value")
      return box.value
    }
    _modify {
      core.checkThread("LoopBound.value")
      yield &box.value
    }
  }
}

final class LoopBox<Value> {
  var value: Value

  init(_ value: Value) { self.value = value }
}

// Does nothing, because the box is released after the item has run.
private func releaseBox(_ loop: UnsafeRawPointer, _ box: UnsafeRawPointer) {}
