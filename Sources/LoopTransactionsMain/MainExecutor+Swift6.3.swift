#if os(Linux) && compiler(>=6.3) && compiler(<6.4)
  // The executors that a program can replace are not public API of Swift 6.3, and
  // change with each compiler. Write a file for the next one instead of widening
  // the condition above.
  @_spi(ExperimentalCustomExecutors) import _Concurrency
  import LoopTransactions

  /// The main actor's executor: the loop, once it exists.
  ///
  /// Until then, and after it was closed, jobs go to the main queue, as without
  /// this library. So a synchronous `main` can call `EventLoop.runMain` or
  /// `dispatchMain()`.
  private final class LoopMainExecutor: MainExecutor {
    private static var platform: any MainExecutor { PlatformExecutorFactory.mainExecutor }

    var isMainExecutor: Bool { true }

    func enqueue(_ job: consuming ExecutorJob) {
      MainLoop.enqueue(UnownedJob(job)) { Self.platform.enqueue(ExecutorJob($0)) }
    }

    /// Called by the runtime, outside of tasks, when an asynchronous `main` is
    /// suspended for the first time.
    func run() { MainLoop.serveMain() }

    /// Has no caller in the runtime.
    func stop() { MainLoop.port?._withUnsafeGuaranteedRef { $0.stop() } }

    func checkIsolated() {
      if MainLoop.port == nil { return Self.platform.checkIsolated() }
      if System.isMainThread { return }
      fatalError("MainActor.checkIsolated: call this code on the process's first thread")
    }

    func isIsolatingCurrentContext() -> Bool? {
      MainLoop.port == nil ? Self.platform.isIsolatingCurrentContext() : System.isMainThread
    }
  }

  private enum LoopExecutorFactory: ExecutorFactory {
    static let mainExecutor: any MainExecutor = LoopMainExecutor()
    static var defaultExecutor: any TaskExecutor { PlatformExecutorFactory.defaultExecutor }
  }

  @c
  private func installMainExecutor() { _createExecutors(factory: LoopExecutorFactory.self) }

  // Called by the system before `main`, so that linking this library is enough.
  @section(".init_array")
  @used
  private let constructor: @convention(c) () -> Void = installMainExecutor
#endif
