import Synchronization

/// Reports that work waits in the main queue while the process's first thread
/// runs loops that do not serve it: the mistake of a `Task` under `run()`, or in
/// a host without a `MainQueueBridge`.
///
/// The poll is one of the loop's handles, so it costs nothing until the queue
/// has work. Then a block at the end of the queue tells whether anyone serves
/// the queue, such as a run loop that a callback runs. If it has not run after a
/// second, or when the process exits, the report is made. Loop thread only.
final class MainQueueNotice: LoopPart {
  private let source: MainQueueSource
  private unowned(unsafe) var loop: EventLoop?

  // Relaxed: the first thread sets it, and only that thread acts on it.
  private static let servedCell = Atomic(false)

  /// Whether a loop serves the main queue.
  static var isQueueServed: Bool {
    get { servedCell.load(ordering: .relaxed) }
    set { servedCell.store(newValue, ordering: .relaxed) }
  }

  // nonisolated(unsafe): used on the first thread only, like the class.
  nonisolated(unsafe) private static var progress = Progress.quiet

  private static let generation = ForkGuard.install()

  private enum Progress {
    case quiet
    /// The block is at the end of the queue.
    case probed(MainQueueSource, inHost: Bool)
    /// The block has run, or the report was made.
    case answered
  }

  /// Watches the main queue for `loop`, whose run or embedding begins. Returns nil if
  /// there is nothing to report: on another thread, in a task, whose end the queue waits
  /// for, or without Dispatch.
  init?(_ loop: EventLoop) {
    guard loop.ownsLoop, System.isMainThread, case .quiet = Self.progress,
      !Self.isQueueServed, loop.virtualTime == nil,
      withUnsafeCurrentTask(body: { $0 == nil }),
      // `try?`: without a descriptor, the mistake is not reported.
      let source = try? MainQueueSource(loop: loop.uv)
    else { return nil }
    self.source = source
    self.loop = loop
    source.keepsLoopAlive(false)
    source.start(self, mainQueueIsFilled)
  }

  /// Looks once, at the end of a run or of an embedding.
  func probeIfFilled(inHost: Bool) { if source.hasWork { probe(inHost: inHost) } }

  fileprivate func queueIsFilled() { probe(inHost: loop?.host != nil) }

  private func probe(inHost: Bool) {
    guard let loop else { return }
    detach()
    guard case .quiet = Self.progress else { return }
    Self.progress = .probed(source, inHost: inHost)
    _ = Self.generation
    Task { @MainActor in Self.progress = .answered }
    System.atExit { MainQueueNotice.reportUnlessAnswered() }
    guard loop.state != .closing else { return }
    let deadline = loop.now.advanced(by: .seconds(1))
    loop.makeTimer(at: deadline, schedule: .once, place: nil) { _ in Self.reportUnlessAnswered() }
      .keepsLoopAlive = false
  }

  private static func reportUnlessAnswered() {
    guard System.isMainThread, case .probed(let source, let inHost) = progress,
      ForkGuard.generation == generation, !isQueueServed,
      // Otherwise this thread drains the queue, and a block of it called this.
      source.hasWork
    else { return }
    progress = .answered
    if inHost { reportInHost() } else { reportInRun() }
  }

  private static func reportInRun() {
    System.logToStandardError(
      """
      EventLoop.run: a Task of the main actor or a block of DispatchQueue.main waits, and nothing \
      serves the main queue while the first thread runs this loop; call EventLoop.runMain, or link \
      LoopTransactionsMain and use EventLoop.main
      """
    )
  }

  private static func reportInHost() {
    System.logToStandardError(
      """
      Embedding: a Task of the main actor or a block of DispatchQueue.main waits, and nothing \
      serves the main queue while the first thread runs the host; create a MainQueueBridge(on: loop)
      """
    )
  }

  /// Stops watching.
  func detach() {
    guard let loop else { return }
    self.loop = nil
    loop.mainQueueNotice = nil
    source.close()
    loop.remove(self)
  }

  var handles: [UnsafeMutableRawPointer] { loop == nil ? [] : [source.address] }

  func loopDidClose() { detach() }

  func stopInChild(of uv: UVLoop) { source.stopInChild(of: uv) }

  func leaveInChild() {
    source.detachOwner()
    loop = nil
  }
}

extension MainQueueNotice: Unreflected {}

extension EventLoop {
  /// Watches the main queue from the first run or embedding on.
  func watchMainQueue() {
    guard !didWatchMainQueue else { return }
    didWatchMainQueue = true
    guard let notice = MainQueueNotice(self) else { return }
    mainQueueNotice = notice
    add(notice)
  }
}

private func mainQueueIsFilled(_ handle: PollHandle?, _ status: Int32, _ events: Int32) {
  guard let notice = owner(of: handle, as: MainQueueNotice.self) else {
    return stopWatching(handle)
  }
  withExtendedLifetime(notice) { notice.queueIsFilled() }
}
