import Synchronization

/// Reports that work waits in the main queue while the process's first thread
/// runs loops that do not serve it: the mistake of a `Task` under `run()`.
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
    case asked
    /// The block has run, or the report was made.
    case answered
  }

  /// Watches the main queue for `loop`, whose run begins. Returns nil if there is
  /// nothing to report: on another thread, in a task, whose end the queue waits
  /// for, or without Dispatch.
  init?(_ loop: EventLoop) {
    guard loop.ownsLoop, System.isMainThread, Self.progress == .quiet,
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

  /// Looks once, at the end of a run.
  func look() { if source.hasWork { ask() } }

  fileprivate func ask() {
    guard let loop else { return }
    detach()
    guard Self.progress == .quiet else { return }
    Self.progress = .asked
    _ = Self.generation
    Task { @MainActor in Self.progress = .answered }
    System.atExit { MainQueueNotice.reportUnlessAnswered() }
    guard loop.state != .closing else { return }
    let deadline = loop.now.advanced(by: .seconds(1))
    loop.makeTimer(at: deadline, .once, nil) { _ in Self.reportUnlessAnswered() }
      .keepsLoopAlive = false
  }

  private static func reportUnlessAnswered() {
    guard System.isMainThread, progress == .asked, ForkGuard.generation == generation,
      !isQueueServed
    else { return }
    progress = .answered
    System.logToStandardError(
      """
      EventLoop.run: a Task of the main actor or a block of DispatchQueue.main waits, and nothing \
      serves the main queue while the first thread runs this loop; call EventLoop.runMain, or link \
      LoopTransactionsMain and use EventLoop.main
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
  /// Watches the main queue from the first run on.
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
  withExtendedLifetime(notice) { notice.ask() }
}
