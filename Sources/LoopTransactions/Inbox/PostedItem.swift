/// One thing posted to a loop: three words, moved as bits, run once.
///
/// A closure is stored as its own two words, so that posting it allocates
/// nothing beyond what the closure itself is made of; a function and a context,
/// or a target and a selector, or a job of Swift's concurrency, allocate nothing.
package struct PostedItem: BitwiseCopyable {
  /// What the two words are; from 16 on, the address of a selector's entry.
  package var kind: UInt
  package var first: UInt = 0
  package var second: UInt = 0

  package static let function: UInt = 0
  static let closure: UInt = 1
  static let call: UInt = 2
  // A job: 3 to 5. PostedItem+Job.
  package static let firstJob: UInt = 3
  /// A `PortTransaction` and its target, both retained.
  static let portTransaction: UInt = 6
  static let firstAddress: UInt = 16
}

/// A function to call on the loop with the context it was posted with.
public typealias PostedFunction = @convention(c) (UnsafeMutableRawPointer?) -> Void

/// A call within the library: the loop, and the object that came along.
package typealias PostedCall = @convention(c) (UnsafeRawPointer, UnsafeRawPointer) -> Void

/// A closure in its natural form: in a generic container it would be wrapped in
/// a thunk, which allocates.
private struct ClosureWords {
  let body: @Sendable () -> Void
}

extension PostedItem {
  /// A call of `function` with `context`.
  @inline(__always)
  package init(_ function: PostedFunction, _ context: UnsafeMutableRawPointer?) {
    self.init(
      kind: Self.function,
      first: unsafeBitCast(function, to: UInt.self),
      second: UInt(bitPattern: context)
    )
  }

  /// A call of `body`, which the item owns until it is run.
  @inline(__always)
  package init(_ body: consuming @escaping @Sendable () -> Void) {
    self.init(kind: Self.closure)
    let words = ClosureWords(body: body)
    withUnsafeMutablePointer(to: &self) { Self.closure(of: $0).initialize(to: words) }
  }

  /// A call of `function` with `object`, which the item owns until it is run.
  package init(_ function: PostedCall, _ object: AnyObject) {
    self.init(
      kind: Self.call,
      first: unsafeBitCast(function, to: UInt.self),
      second: UInt(bitPattern: Unmanaged.passRetained(object).toOpaque())
    )
  }

  /// Whether a user handed it over by a post or a commit, which a full inbox refuses.
  /// Not the rest: it is bounded otherwise, or nobody could be told.
  var isRefusable: Bool {
    kind == Self.function || kind == Self.closure || kind >= Self.firstAddress
  }

  /// Whether it is a job.
  @inline(__always)
  var isJob: Bool { kind >= Self.firstJob && kind < Self.portTransaction }

  /// The same for items that do the same: a function's address, a selector's, a
  /// closure's code.
  @inline(__always)
  var similarityKey: UInt { kind < Self.firstAddress ? first : kind }

  /// Releases what the item owns; it was refused.
  @inline(never)
  package mutating func drop() {
    switch kind {
    // A job is its task's.
    case Self.function, Self.firstJob..<Self.portTransaction: break
    case Self.closure: _ = claimClosure()
    case Self.portTransaction:
      release(second)
      release(first)
    default: release(kind == Self.call ? second : first)
    }
  }

  func release(_ address: UInt) {
    guard let object = UnsafeRawPointer(bitPattern: address) else { return }
    Unmanaged<AnyObject>.fromOpaque(object).release()
  }

  @inline(__always)
  mutating func claimClosure() -> @Sendable () -> Void {
    withUnsafeMutablePointer(to: &self) { Self.closure(of: $0).move() }.body
  }

  /// Where the closure of the item at `pointer` is: in both words.
  // Not a pointer to `first`, behind which the optimiser sees nothing of ours.
  @inline(__always)
  private static func closure(
    of pointer: UnsafeMutablePointer<PostedItem>
  ) -> UnsafeMutablePointer<ClosureWords> {
    (UnsafeMutableRawPointer(pointer) + MemoryLayout<UInt>.stride)
      .bindMemory(to: ClosureWords.self, capacity: 1)
  }
}
