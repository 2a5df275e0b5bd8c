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
  // Kinds 3 to 6 are jobs.
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
      second: UInt(retaining: object)
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
    KeyedObject.at(address).release()
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

// Running a posted item on its loop.
extension PostedItem {
  /// Runs the item. Consumes it, except that a commit remains pending.
  @inline(__always)
  mutating func run(on loop: EventLoop) {
    if _fastPath(isPlacedClosure) { return claimClosure()() }
    switch kind {
    case Self.function:
      let function = unsafeBitCast(first, to: PostedFunction.self)
      function(UnsafeMutableRawPointer(bitPattern: second))
    case Self.closure: claimClosure()()
    case Self.call: runCall(on: loop)
    case Self.firstJob..<Self.portTransaction: runJob()
    case Self.portTransaction:
      // The item's reference to the target passes to the commit.
      loop.transactions.commitPosted(portTransaction: first)
    default: loop.transactions.commitPosted(selector: kind, target: first)
    }
  }

  /// The code that the item runs. X2.
  var owner: OwnerWord {
    if isPlacedClosure { return OwnerWord(.post, SourcePlace(word: kind)) }
    if isJob { return OwnerWord(.job) }
    return callPlace.map { OwnerWord(.post, $0) } ?? OwnerWord(.post)
  }

  private var callPlace: SourcePlace? {
    guard kind == Self.call else { return nil }
    return (KeyedObject.at(second).takeUnretainedValue() as? any AwaitedCall)?.place
  }

  @inline(never)
  private func runCall(on loop: EventLoop) {
    guard let object = UnsafeRawPointer(bitPattern: second) else { return }
    let function = unsafeBitCast(first, to: PostedCall.self)
    function(UnsafeMutableRawPointer(addressOf: loop), object)
    release(second)
  }
}

extension UnownedJob {
  /// The job as a word.
  @inline(__always)
  var word: UInt { unsafeBitCast(self, to: UInt.self) }

  /// Creates the job of a `word`.
  @inline(__always)
  init(word: UInt) { self = unsafeBitCast(word, to: UnownedJob.self) }
}

// A job of Swift concurrency as an item: the job and the port it was enqueued
// on.
extension PostedItem {
  /// The isolation of a job, as its loop knows it.
  enum JobKind: UInt {
    /// A job that is isolated to the loop.
    case isolated = 3
    /// A nonisolated job of a task that prefers the loop.
    case task = 4
    /// A job that is isolated to the loop, of a task that prefers the loop.
    case isolatedTask = 5
    /// Isolated to the main actor, whose executor enqueues on the loop.
    case mainActor = 6
  }

  /// Creates an item that runs the job at `word`, which was enqueued on `port`.
  ///
  /// The port is not retained, because the task that waits for the job retains
  /// its executor.
  @inline(__always)
  init(_ kind: JobKind, _ word: UInt, for port: LoopPort) {
    // The port comes first, so that the budget treats all jobs of a loop as one
    // kind.
    self.init(
      kind: kind.rawValue,
      first: UInt(addressOf: port),
      second: word
    )
  }

  /// Runs the job on its loop's thread.
  @inline(never)
  func runJob() {
    // The job may release the port, but this loop retains the port's core.
    let port = Unmanaged<LoopPort>.at(first)
    let core = port._withUnsafeGuaranteedRef { $0.core }
    let outer = core.runningTask
    switch JobKind(rawValue: kind) {
    case .task, .isolatedTask: core.runningTask = second
    case .isolated, .mainActor, nil: core.runningTask = 0
    }
    runJob(port)
    core.runningTask = outer
  }

  /// Runs the job. `port` is alive until the job has begun.
  func runJob(_ port: Unmanaged<LoopPort>) {
    let job = UnownedJob(word: second)
    let (serial, task) = port._withUnsafeGuaranteedRef {
      ($0.asUnownedSerialExecutor(), $0.asUnownedTaskExecutor())
    }
    // Run the job under the executor it was enqueued on. Under another
    // executor, the runtime would re-enqueue it.
    switch JobKind(rawValue: kind) {
    case .isolated: job.runSynchronously(on: serial)
    case .task: job.runSynchronously(on: task)
    case .isolatedTask: job.runSynchronously(isolatedTo: serial, taskExecutor: task)
    case .mainActor: job.runSynchronously(on: MainActor.sharedUnownedExecutor)
    case nil: preconditionFailure("PostedItem: unknown job kind \(kind)")
    }
  }
}

/// An object whose posted call a thread is waiting for.
protocol AwaitedCall: AnyObject {
  /// The place that made the call, for reports.
  var place: SourcePlace? { get }

  /// Called instead of the posted call if the loop was released without
  /// `close()`.
  ///
  /// Call from any thread.
  func wasRefused()
}

extension AwaitedCall {
  var place: SourcePlace? { nil }
}

extension PostedItem {
  /// Drops an item that the loop of `core` accepted and will not run.
  mutating func refuse(on core: PortCore) {
    switch kind {
    case Self.firstJob..<Self.portTransaction:
      // The task waiting for the job keeps the port alive.
      core.orphanedJobs.add(self, Unmanaged.at(first).takeUnretainedValue())
    case Self.call:
      (KeyedObject.at(second).takeUnretainedValue() as? any AwaitedCall)?.wasRefused()
      drop()
    default: drop()
    }
  }
}
