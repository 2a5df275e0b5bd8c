import LoopTransactions

/// The listeners and connections of a loop. Loop thread only.
// Exclusivity is unchecked for the properties that an event accesses, because no
// user code runs while one of them changes.
final class LoopIO: AddedPart {
  unowned let loop: EventLoop
  let core: PortCore
  let libuvLoop: UnsafeMutableRawPointer
  /// The memory that all streams of the loop read into. A connection uses or
  /// copies its bytes before the next read.
  let readBuffer: UnsafeMutableRawBufferPointer
  @exclusivity(unchecked) var chunks = ChunkPool()

  // Sorted by number, they are in the order they were added.
  private var members: [UInt64: any LoopIOMember] = [:]
  private var lastNumber: UInt64 = 0
  @exclusivity(unchecked) private var observer: Observer?
  @exclusivity(unchecked) private var scheduled: [any ScheduledMember] = []
  // The memory of the previous `scheduled`, so that a tick allocates none.
  @exclusivity(unchecked) private var spare: [any ScheduledMember] = []

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
    self.loop = loop
    core = loop.core
    libuvLoop = loop.libuvLoop
    readBuffer = .allocate(byteCount: Self.readSize, alignment: 16)
    ignoreBrokenPipes()
  }

  deinit { readBuffer.deallocate() }

  /// Initialises a stream on the loop.
  func makeStream(
    unix isUnix: Bool,
    _ operation: @autoclosure () -> String
  ) throws(UVError) -> Stream {
    try Stream(unix: isUnix, on: libuvLoop, readingInto: readBuffer, operation())
  }

  /// Keeps `member` until it is removed. Returns its number.
  func add(_ member: any LoopIOMember) -> UInt64 {
    lastNumber += 1
    members[lastNumber] = member
    return lastNumber
  }

  func remove(_ number: UInt64) { members[number] = nil }

  /// Calls `member.performScheduled()` before the loop next waits.
  func schedule(_ member: any ScheduledMember) {
    scheduled.append(member)
    observer?.hasPendingWork = true
  }

  private func performScheduled() {
    // A local array, because a callback may close an adopted loop, which calls
    // this function again.
    var batch = spare
    spare = []
    swap(&batch, &scheduled)
    var done = 0
    while done < batch.count {
      batch[done].performScheduled()
      done += 1
      if done % Self.batch == 0, done < batch.count, !loop.budgetAllowsMore() { break }
    }
    if done < batch.count { scheduled.insert(contentsOf: batch[done...], at: 0) }
    // Not removeAll(keepingCapacity:), which costs 400 instructions.
    while batch.popLast() != nil {}
    spare = batch
    if !scheduled.isEmpty { observer?.hasPendingWork = true }
  }

  /// Calls `body` on behalf of libuv.
  @inline(__always)
  func calledBack(_ body: () -> Void) {
    // Retained, because a callback may close and release an adopted loop.
    let loop = loop
    loop.calledBack(body)
  }

  private var inOrder: [any LoopIOMember] {
    members.sorted { $0.key < $1.key }.map(\.value)
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
  /// The open libuv handle, if there is one.
  var handle: UnsafeMutableRawPointer? { get }

  /// Ends, because the loop is closing, and makes the last callback.
  func endWithLoop()

  /// Ends without a callback, because the loop was released while open. May be
  /// called on any thread.
  func endWithoutLoop()

  /// Detaches from the parent's handle, in a forked child.
  func abandonInChild()
}

/// A member with work for the end of the tick.
protocol ScheduledMember: AnyObject {
  func performScheduled()
}

extension LoopIO {
  func attach(to loop: EventLoop) {
    // Unsafe: the loop releases the observer before this part.
    let observer = loop.addObserver(
      for: [.beforeWaiting, .exit],
      order: Connection.flushOrder
    ) { [unowned(unsafe) self] _ in performScheduled() }
    observer.isResting = true
    self.observer = observer
  }

  var holdsAnything: Bool { !members.isEmpty }

  var handles: [UnsafeMutableRawPointer] { members.values.compactMap(\.handle) }

  func drop() { for member in inOrder { member.endWithLoop() } }

  func loopWasReleased() {
    let ended = inOrder
    members = [:]
    scheduled = []
    for member in ended { member.endWithoutLoop() }
  }

  func stopInChild() { for member in members.values { member.abandonInChild() } }
}
