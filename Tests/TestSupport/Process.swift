internal import CTestSupport

#if canImport(Darwin)
  private import Darwin
#else
  private import Glibc
#endif

/// Reads and changes the state of the whole test process. Most of the changes
/// are for exit tests.
package enum Process {
  /// The result of a child process.
  package struct Ending: Sendable {
    /// The exit status, or the negated number of the signal that ended it.
    package let status: Int32

    /// The child's output on standard error.
    package let standardError: String
  }

  /// Forks and runs `body` in the child, which then exits.
  ///
  /// First waits until the other threads sleep, for at most ten seconds. A thread
  /// that runs may have a lock of the Swift runtime, for which the child would
  /// wait forever.
  ///
  /// - Parameters:
  ///   - threadsRun: Whether other threads run on purpose. `body` must then not
  ///     use a type for the first time.
  ///   - isSeen: Whether the handlers of `pthread_atfork` run.
  package static func fork(
    whileThreadsRun threadsRun: Bool = false,
    isSeen: Bool = true,
    _ body: () -> Void
  ) -> Ending {
    if !threadsRun { ct_await_sleep_of_others() }
    return withoutActuallyEscaping(body) { body in
      let context = Unmanaged.passRetained(Box(body))
      defer { context.release() }
      var text = [CChar](repeating: 0, count: 4096)
      let status = ct_fork(callBox, context.toOpaque(), isSeen, &text, Int32(text.count))
      let bytes = text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
      return Ending(status: status, standardError: String(decoding: bytes, as: UTF8.self))
    }
  }

  /// Starts a shell that runs `script`, and returns its process identifier.
  ///
  /// Reap it soon, unless called in an exit test: while the test process has an
  /// ended child that is not its own, Swift Testing waits for no exit test.
  package static func start(_ script: String) -> Int32 {
    var process: pid_t = 0
    let words: [String] = ["sh", "-c", script]
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
    arguments.append(nil)
    defer { for argument in arguments { free(argument) } }
    let result = posix_spawn(&process, "/bin/sh", nil, nil, &arguments, nil)
    precondition(result == 0, "Process.start: posix_spawn failed: \(result)")
    return process
  }

  /// Waits until the child `process` has ended, and reaps it.
  package static func reap(_ process: Int32) { waitpid(process, nil, 0) }

  /// Starts a child that gets the unused identifier `process`. It exits with
  /// `status`, or blocks if `status` is nil. Returns false if the system does not
  /// permit it.
  package static func start(as process: Int32, exiting status: Int32?) -> Bool {
    ct_start_as(process, status ?? -1) == 0
  }

  /// Whether `start(as:exiting:)` is permitted: on Linux, with the capability
  /// CAP_CHECKPOINT_RESTORE.
  package static var canChooseIdentifiers: Bool {
    let process = start("exit 0")
    reap(process)
    defer { reap(process) }
    return start(as: process, exiting: 0)
  }

  /// Runs `body`. In it, `raiseSignal` calls `handler` in a signal handler.
  package static func handlingSignals<Result>(
    _ handler: @escaping () -> Void,
    _ body: () throws -> Result
  ) rethrows -> Result {
    let context = Unmanaged.passRetained(Box(handler))
    ct_on_signal(callBox, context.toOpaque())
    defer {
      ct_ignore_signal()
      context.release()
    }
    return try body()
  }

  /// Sends the signal to the calling thread. The handler has run when this
  /// returns.
  package static func raiseSignal() { ct_raise() }

  /// Sends `signal` to the calling thread. A handler has run when this returns.
  package static func raise(_ signal: Int32) {
    unblock(signal)
    pthread_kill(pthread_self(), signal)
  }

  /// Makes the system deliver `signal` to the calling thread. Otherwise no
  /// thread may receive it, because Dispatch's worker threads block every
  /// signal.
  package static func unblock(_ signal: Int32) {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, signal)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
  }

  /// Whether the process has its default disposition for `signal`.
  package static func isDefault(_ signal: Int32) -> Bool { ct_is_default(signal) }

  /// The address of the process's handler of `signal`.
  package static func handler(of signal: Int32) -> Int {
    unsafeBitCast(action(of: signal).__sigaction_handler.sa_handler, to: Int.self)
  }

  /// The flags of the process's disposition for `signal`.
  package static func flags(of signal: Int32) -> Int32 { action(of: signal).sa_flags }

  private static func action(of signal: Int32) -> sigaction {
    var action = sigaction()
    sigaction(signal, nil, &action)
    return action
  }

  /// Whether `descriptor` is open, and stays open in a started program.
  package static func isInherited(_ descriptor: Int32) -> Bool {
    fcntl(descriptor, F_GETFD) & (FD_CLOEXEC | ~Int32.max) == 0
  }

  /// Kills the process if it still runs after ten minutes.
  package static func endInTime() { ct_end_after(600) }

  /// Traces a child and waits until it has stopped. Returns false if the system does not
  /// permit it.
  package static func trace(_ child: Int32) -> Bool { ct_trace(child) == 0 }

  /// Lets a traced child run on. Call on the same thread.
  package static func endTrace(of child: Int32) { ct_end_trace(child) }

  /// Limits the process to `count` more open descriptors.
  package static func limitDescriptors(to count: Int) { ct_limit_descriptors(Int32(count)) }

  /// The number of open descriptors.
  package static var openDescriptors: Int { Int(ct_open_descriptors()) }

  /// The names of this process's threads as a debugger shows them. Nil if the
  /// system cannot list them.
  package static var threadNames: [String]? {
    var text = [CChar](repeating: 0, count: 1 << 16)
    guard ct_thread_names(&text, Int32(text.count)) >= 0 else { return nil }
    let bytes = text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// Pins the calling thread, and the threads it starts, to one processor.
  /// Returns false on failure.
  package static func useOneProcessor() -> Bool { ct_use_one_processor() }

  /// Does the same for all threads of the process.
  package static func useOneProcessorInAllThreads() -> Bool {
    ct_use_one_processor_in_all_threads()
  }

  /// The files that the open descriptors refer to, if the system can name them.
  package static var descriptorNames: [String] {
    (Int32(0)..<1024).compactMap { descriptor in
      var name = [CChar](repeating: 0, count: 256)
      let length = ct_descriptor_name(descriptor, &name, Int32(name.count))
      guard length >= 0 else { return nil }
      let bytes = name.prefix(Int(length)).map { UInt8(bitPattern: $0) }
      return "\(descriptor): \(String(decoding: bytes, as: UTF8.self))"
    }
  }
}

private final class Box {
  let body: () -> Void

  init(_ body: @escaping () -> Void) { self.body = body }
}

private func callBox(_ context: UnsafeMutableRawPointer?) {
  guard let context else { return }
  Unmanaged<Box>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.body() }
}
