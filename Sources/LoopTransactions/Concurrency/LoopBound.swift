/// A value that belongs to a loop's thread, in a box that any thread may hold.
///
/// For what is not `Sendable` in something that is: a buffer in the closure of a
/// post, the loop itself in an actor pinned to it.
///
/// ```swift
/// let lines = LoopBound([String](), on: loop)
/// try port.post { lines.withValue { $0.append("from another thread") } }
/// ```
///
/// After SwiftNIO's `NIOLoopBound`.
public final class LoopBound<Value>: @unchecked Sendable {
  // @unchecked: `box` is a constant; what is in it is touched on the loop's thread
  // only, as each accessor traps anywhere else.

  let core: PortCore
  let box: LoopBox<Value>

  /// Keeps `value` for the thread of `loop`.
  ///
  /// Call on the loop.
  public init(_ value: Value, on loop: EventLoop) {
    loop.checkThread("LoopBound.init")
    core = loop.core
    box = LoopBox(value)
  }

  // Released on the loop: here, or where the item is run. Once the loop is closed,
  // there is no better place than this.
  deinit {
    guard !core.isOnThread else { return }
    var item = PostedItem(releaseBox, box)
    if !core.append(item) { item.drop() }
  }

  /// Calls `body` with the value, and returns what it returns.
  ///
  /// Call on the loop, also when it is closed. The compiler lets nothing of the value
  /// leave `body` for another thread. `body` must not use the box again. The value is
  /// released on the loop, whoever drops the box, while the loop is open; once it is
  /// closed, on the thread that drops the box.
  ///
  /// - Throws: What `body` throws.
  /// - Complexity: O(1), and `body`.
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
  /// Call on the loop, also when it is closed.
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

// The item lets go of the box after this.
private func releaseBox(_ loop: UnsafeRawPointer, _ box: UnsafeRawPointer) {}
