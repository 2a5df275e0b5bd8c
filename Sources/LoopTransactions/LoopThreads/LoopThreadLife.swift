/// The start and the end of a loop that runs on a thread of its own.
///
/// Shared by the thread and the `LoopThread`, so that the thread does not keep
/// the `LoopThread` alive.
final class LoopThreadLife: Sendable {
  private struct State {
    var start: Result<LoopPort, UVError>?
    var hasEnded = false
    var closingError: UVError?
    var waiters: [UnsafeContinuation<Void, any Error>] = []
  }

  private let state = Locked(State())
  private let start = Parking()

  /// Waits until the loop accepts work and returns its port. Called once.
  func started() throws(UVError) -> LoopPort {
    start.sleep()
    // Removed, so that only the `LoopThread` keeps the port.
    guard let start = state.withLock({ $0.start.take() }) else {
      preconditionFailure("LoopThreadLife: the thread reported no start")
    }
    return try start.get()
  }

  /// Waits until the loop is closed.
  func ended() async {
    // `try?`: nothing throws. A throwing continuation, because ThreadSanitizer
    // misreports others; see scripts/races.
    try? await withUnsafeThrowingContinuation { continuation in
      let hasEnded = state.withLock { state in
        if !state.hasEnded { state.waiters.append(continuation) }
        return state.hasEnded
      }
      if hasEnded { continuation.resume() }
    }
  }

  /// The error that closing the loop failed with.
  var closingError: UVError? { state.withLock { $0.closingError } }

  /// The thread's body: creates, runs and closes the loop.
  func run(_ name: String, _ affinity: [Int]) {
    let error = makeLoop(name, affinity).flatMap { Self.runAndClose($0, name) }
    // The loop has been released.
    let waiters = state.withLock { state in
      state.hasEnded = true
      state.closingError = error
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  private func makeLoop(_ name: String, _ affinity: [Int]) -> EventLoop? {
    do throws(UVError) {
      try CPUAffinity.pin(to: affinity, for: "LoopThread.init (affinity \(affinity))")
      let loop = try EventLoop()
      loop.waitsForPosts = true
      report(.success(loop.port))
      return loop
    } catch {
      report(.failure(error))
      return nil
    }
  }

  private func report(_ result: Result<LoopPort, UVError>) {
    state.withLock { $0.start = result }
    start.wake()
  }

  private static func runAndClose(_ loop: EventLoop, _ name: String) -> UVError? {
    loop.run()
    do throws(UVError) {
      try loop.close()
      return nil
    } catch {
      System.logToStandardError("LoopThread '\(name)': \(error)")
      // Its release refuses the work accepted meanwhile, and is reported too.
      return error
    }
  }
}
