/// The creation of a loop on its host.
final class HostMaking: Sendable {
  private let executor: HostExecutor
  private let prepare: @Sendable (EventLoop) throws -> Void
  // Under a lock, because ThreadSanitizer does not see the order that a
  // continuation establishes; see scripts/races.
  private let result = Locked<Result<HostCore, any Error>>(.failure(LoopPort.PostError.closed))

  init(_ executor: HostExecutor, _ prepare: @escaping @Sendable (EventLoop) throws -> Void) {
    self.executor = executor
    self.prepare = prepare
  }

  /// Hands the creation to the host. Resumes `continuation` after it, or when
  /// the host drops it.
  func start(_ continuation: UnsafeContinuation<Void, any Error>) {
    let attempt = Attempt(self, continuation)
    // A host that refuses the work also releases it.
    _ = executor.execute { attempt.run() }
  }

  /// Returns the result after the continuation was resumed.
  func value() throws -> HostCore { try result.withLock { $0 }.get() }

  private final class Attempt: Sendable {
    private let making: HostMaking
    private let continuation: UnsafeContinuation<Void, any Error>

    init(_ making: HostMaking, _ continuation: UnsafeContinuation<Void, any Error>) {
      self.making = making
      self.continuation = continuation
    }

    deinit { continuation.resume() }

    func run() { making.result.withLock { $0 = Result { try making.make() } } }
  }

  private func make() throws -> HostCore {
    let loop = try EventLoop()
    do {
      try prepare(loop)
      let core = try HostCore(loop, owned: true, on: executor, for: "ExecutorHost.make")
      core.leaveThread()
      return core
    } catch {
      // `try?`: the first error is the one to throw.
      try? loop.close()
      throw error
    }
  }
}
