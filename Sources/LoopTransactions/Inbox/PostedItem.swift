/// One item posted to a loop: three trivially copied words, run once.
///
/// A closure is stored as its own two words, so posting it allocates nothing
/// beyond its captures. A function with a context, a target with a selector,
/// and a job of Swift concurrency allocate nothing.
package struct PostedItem: BitwiseCopyable {
  /// The meaning of the other two words. Values from 16 on are the address of a
  /// selector's entry, or the place of a closure, whose highest bits are not 0.
  package var kind: UInt
  package var first: UInt = 0
  package var second: UInt = 0

  package static let function: UInt = 0
  static let closure: UInt = 1
  static let call: UInt = 2
  // Kinds 3 to 6 are jobs; see PostedItem+Job.swift.
  package static let firstJob: UInt = 3
  /// A `PortTransaction` and its target, both retained.
  static let portTransaction: UInt = 7
  static let firstAddress: UInt = 16
}

/// A C function that is called on the loop with the context it was posted with.
public typealias PostedFunction = @convention(c) (UnsafeMutableRawPointer?) -> Void

/// A C function of this library that is called on the loop with the loop and an
/// object.
package typealias PostedCall = @convention(c) (UnsafeRawPointer, UnsafeRawPointer) -> Void

/// A closure in its natural calling convention. A generic container would wrap
/// it in a thunk, which allocates.
private struct ClosureWords {
  let body: () -> Void
}

extension PostedItem {
  /// Creates a call of `function` with `context`.
  @inline(__always)
  package init(_ function: PostedFunction, _ context: UnsafeMutableRawPointer?) {
    self.init(
      kind: Self.function,
      first: unsafeBitCast(function, to: UInt.self),
      second: UInt(bitPattern: context)
    )
  }

  /// Creates a call of `body`, which the item owns until it runs.
  @inline(__always)
  package init(_ body: consuming @escaping @Sendable () -> Void) {
    self.init(onLoop: body)
  }

  /// Creates a call of `body`, which was posted at `place`.
  @inline(__always)
  init(_ body: consuming @escaping () -> Void, at place: SourcePlace) {
    self.init(onLoop: consume body, kind: place.word)
  }

  /// Creates a call of `body`, which must not leave the loop's thread.
  @inline(__always)
  init(onLoop body: consuming @escaping () -> Void, kind: UInt = PostedItem.closure) {
    self.init(kind: kind)
    let words = ClosureWords(body: body)
    withUnsafeMutablePointer(to: &self) { Self.closure(of: $0).initialize(to: words) }
  }

  /// Creates a call of `function` with `object`, which the item owns until it
  /// runs.
  package init(_ function: PostedCall, _ object: AnyObject) {
    self.init(
      kind: Self.call,
      first: unsafeBitCast(function, to: UInt.self),
      second: UInt(bitPattern: Unmanaged.passRetained(object).toOpaque())
    )
  }

  /// Whether a full inbox refuses the item: true for posts and commits of
  /// users. Other items are bounded in another way, or have no caller that
  /// could handle a refusal.
  var isRefusable: Bool {
    kind == Self.function || kind == Self.closure || kind >= Self.firstAddress
  }

  /// Whether the item is a closure with a place.
  @inline(__always)
  var isPlacedClosure: Bool { kind >> 48 != 0 }

  /// Whether the item is a job.
  @inline(__always)
  var isJob: Bool { kind >= Self.firstJob && kind < Self.portTransaction }

  /// A value that is equal for items that run the same code: the address of the
  /// function, of the selector's entry or of the closure's code.
  @inline(__always)
  var similarityKey: UInt { kind < Self.firstAddress ? first : kind }

  /// Releases the objects that the item owns, after it was refused.
  @inline(never)
  package mutating func drop() {
    switch kind {
    // A job belongs to its task.
    case Self.function, Self.firstJob..<Self.portTransaction: break
    case Self.closure: _ = claimClosure()
    case Self.portTransaction:
      release(second)
      release(first)
    default:
      if isPlacedClosure { return _ = claimClosure() }
      release(kind == Self.call ? second : first)
    }
  }

  func release(_ address: UInt) {
    guard let object = UnsafeRawPointer(bitPattern: address) else { return }
    Unmanaged<AnyObject>.fromOpaque(object).release()
  }

  @inline(__always)
  mutating func claimClosure() -> () -> Void {
    withUnsafeMutablePointer(to: &self) { Self.closure(of: $0).move() }.body
  }

  /// Returns the address of the closure in the item at `pointer`. The closure
  /// occupies both words, so this is not a pointer to `first`: the optimiser
  /// would assume that such a pointer accesses only that word.
  @inline(__always)
  private static func closure(
    of pointer: UnsafeMutablePointer<PostedItem>
  ) -> UnsafeMutablePointer<ClosureWords> {
    (UnsafeMutableRawPointer(pointer) + MemoryLayout<UInt>.stride)
      .bindMemory(to: ClosureWords.self, capacity: 1)
  }
}
