import LoopTransactions

/// The listeners and connections of a loop. Loop thread only.
// Exclusivity is unchecked for the properties that an event accesses, because no
// user code runs while one of them changes.
final class LoopIO: LoopPart {
  // Not retained, because the loop keeps this part. Unmanaged, so that an event
  // does not count a reference.
  let unmanagedLoop: Unmanaged<EventLoop>
  let core: PortCore
  /// The memory that all streams of the loop read into. A connection uses or
  /// copies its bytes before the next read.
  let readBuffer: UnsafeMutableRawBufferPointer
  /// The empty chunks. A pointer, so that an access counts no reference.
  let pool: UnsafeMutablePointer<ChunkPool>

  // With their numbers, in the order they were added.
  private var members: [ObjectIdentifier: (number: UInt64, member: any LoopIOMember)] = [:]
  private var lastNumber: UInt64 = 0
  // Retained. Unmanaged, so that `schedule` does not count a reference.
  @exclusivity(unchecked) private var observer: Unmanaged<Observer>?
  // The connections to send, linked by `nextScheduled` and retained.
  @exclusivity(unchecked) private var scheduled: Unmanaged<Connection>?
  @exclusivity(unchecked) private var lastScheduled: Unmanaged<Connection>?

  // The same size as libuv suggests.
  private static var readSize: Int { 64 << 10 }
  // A piece of work of the tick's budget. One connection would be too little:
  // a tick whose budget is spent performs one piece. Not measured.
  private static var batch: Int { 16 }

  /// Returns the part of `loop`, and adds it if there is none.
  static func of(_ loop: EventLoop, _ operation: StaticString) -> LoopIO {
    loop.checkUsable(operation)
    return loop.part(LoopIO.self) { LoopIO(loop) }
  }

  private init(_ loop: EventLoop) {
    (unmanagedLoop, core) = (.passUnretained(loop), loop.core)
    readBuffer = .allocate(byteCount: Self.readSize, alignment: 16)
    pool = .allocate(capacity: 1)
    pool.initialize(to: ChunkPool())
    Socket.surviveBrokenPipes()
    // The program may have closed one since the loop was made.
    Socket.fillStandardStreams()
  }

  deinit {
    observer?.release()
    pool.deinitialize(count: 1).deallocate()
    readBuffer.deallocate()
  }

  var loop: EventLoop { unmanagedLoop.takeUnretainedValue() }

  /// Keeps `member` until it is removed.
  func add(_ member: any LoopIOMember) {
    lastNumber += 1
    members[ObjectIdentifier(member)] = (lastNumber, member)
  }

  func remove(_ member: any LoopIOMember) { members[ObjectIdentifier(member)] = nil }

  /// Calls `connection.sendScheduled()` before the loop next waits.
  func schedule(_ connection: Connection) {
    let added = Unmanaged.passRetained(connection)
    if let lastScheduled {
      lastScheduled._withUnsafeGuaranteedRef { $0.nextScheduled = added }
    } else {
      scheduled = added
    }
    lastScheduled = added
    setPending()
  }

  private func setPending() { observer?._withUnsafeGuaranteedRef { $0.hasPendingWork = true } }

  /// Removes and returns the first scheduled connection.
  private func popScheduled() -> Connection? {
    guard let first = scheduled?.takeRetainedValue() else { return nil }
    scheduled = first.nextScheduled.take()
    if scheduled == nil { lastScheduled = nil }
    return first
  }

  private func performScheduled() {
    // A callback may close an adopted loop, which calls this function again, and
    // may schedule more connections, which are sent in the next tick.
    let last = lastScheduled?.toOpaque()
    var done = 0
    while let next = popScheduled() {
      next.sendScheduled()
      done += 1
      if Unmanaged.passUnretained(next).toOpaque() == last || scheduled == nil { break }
      if done % Self.batch == 0, !loop.budgetAllowsMore() { break }
    }
    if scheduled != nil { setPending() }
  }

  private var inOrder: [any LoopIOMember] {
    members.values.sorted { $0.number < $1.number }.map(\.member)
  }
}

extension PortCore {
  /// Traps on a thread other than the loop's, unless the loop is closed. A
  /// closed loop's actors run on workers, and its connections are closed.
  func checkAccess(_ operation: StaticString) {
    if _fastPath(isOnThread) || inbox.isClosed { return }
    checkThread(operation)
  }
}

/// A listener, a connection, or an attempt to connect.
protocol LoopIOMember: AnyObject {
  var io: LoopIO { get }
  var core: PortCore { get }

  /// The address of the libuv handle, if there is one.
  var handle: UnsafeMutableRawPointer? { get }

  /// Ends, because the loop is closing, and makes the last callback.
  func endWithLoop()

  /// Ends without a callback, because the loop was released while open. May be
  /// called on any thread.
  func endWithoutLoop()

  /// Detaches from the parent's socket, in a forked child.
  func abandonInChild()
}

extension LoopIOMember {
  var core: PortCore { io.core }

  /// Returns the member. Traps on a thread other than the loop's.
  func on(_ operation: StaticString) -> Self {
    core.checkAccess(operation)
    return self
  }
}

extension LoopIO {
  func attach(to loop: EventLoop) {
    // Unsafe: only the loop calls the observer, and it keeps this part.
    let observer = loop.addObserver(
      for: [.beforeWaiting, .exit],
      order: Connection.flushOrder
    ) { [unowned(unsafe) self] _ in performScheduled() }
    observer.isResting = true
    self.observer = .passRetained(observer)
  }

  var holdsAnything: Bool { !members.isEmpty }

  var handles: [UnsafeMutableRawPointer] { members.values.compactMap { $0.member.handle } }

  func drop() {
    for member in inOrder { member.endWithLoop() }
    // These are closed.
    while popScheduled() != nil {}
  }

  func loopWasReleased() {
    let ended = inOrder
    members = [:]
    for member in ended { member.endWithoutLoop() }
    while popScheduled() != nil {}
  }

  func stopInChild(of _: UVLoop) { for entry in members.values { entry.member.abandonInChild() } }
}
