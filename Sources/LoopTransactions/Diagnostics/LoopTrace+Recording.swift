// Events of the user, beside `mark(_:)`. X3.
extension LoopTrace {
  /// Whether a trace is running. Use it to skip the preparation of names that
  /// only a trace reads.
  ///
  /// Call from any thread. False in a forked child. A call and a load.
  public static var isRunning: Bool { ForkGuard.trace != 0 }

  /// Records the present value of a counter, if a trace is running. A viewer
  /// draws it over time.
  ///
  /// Call from any thread. Values of equal names are one counter, in the order
  /// of their times. Without a trace, this is a call, a load and a branch.
  ///
  /// ```swift
  /// LoopTrace.counter("open files", files.count)
  /// ```
  ///
  /// - Complexity: O(1). The first event of a thread allocates its memory.
  @inlinable
  public static func counter(_ name: StaticString, _ value: Int) {
    if _slowPath(isRunning) { record(name, value) }
  }

  /// Records that the code which runs asks for later work of `object`, if a
  /// trace is running.
  ///
  /// Call from any thread. An arrow leads from here to the code that calls
  /// `endArrow(to:)` with the same object. If several arrows to an object have
  /// begun, the oldest one ends first. An arrow that does not end is not shown.
  /// Without a trace, this is a call, a load and a branch.
  ///
  /// - Parameter object: Identified by its address, and not retained.
  /// - Complexity: O(1). The first event of a thread allocates its memory.
  @inlinable
  public static func beginArrow(to object: AnyObject) {
    if _slowPath(isRunning) { recordArrow(to: object, begins: true) }
  }

  /// Records that the work of `object` begins that `beginArrow(to:)` asked for,
  /// if a trace is running.
  ///
  /// Call from any thread. Does nothing if no arrow to the object has begun.
  ///
  /// - Complexity: O(1). The first event of a thread allocates its memory.
  @inlinable
  public static func endArrow(to object: AnyObject) {
    if _slowPath(isRunning) { recordArrow(to: object, begins: false) }
  }

  @usableFromInline
  @inline(never)
  static func record(_ name: StaticString, _ value: Int) {
    guard let ring = TraceThread.ring else { return }
    let name = OwnerWord(.other, name).rawValue
    let value = UInt64(bitPattern: Int64(value))
    ring.writer.append(TraceEvent(.counter, at: ring.now, name: name, value: value))
  }

  @usableFromInline
  @inline(never)
  static func recordArrow(to object: AnyObject, begins: Bool) {
    TraceThread.recordArrow(begins ? .arrowBegin : .arrowEnd, .request, to: object)
  }
}
