import Glibc
import TestSupport
import Testing

#if arch(x86_64)
  private let hasLibdw = dlopen("libdw.so.1", RTLD_LAZY) != nil

  /// Runs one case of `watch-cases`, which must pass.
  private func pass(_ name: String) throws {
    let output = try TestProgram.run(TestProgram.built("watch-cases"), [name])
    #expect(output.code == 0, "\(output.text)\n\(output.errors)")
  }

  /// The program `watch-cases` captures a child process in each of its cases. It stops
  /// a capture at the moment that a case is about.
  @Suite(
    "CLoopWatch: captures",
    .enabled(if: hasLibdw, "needs libdw"),
    .enabled(if: !Interposed.isSanitized, "sanitizers change the stacks")
  )
  struct CaptureTests {
    @Test("a thread that sleeps is captured without a stop, unless it waits for its loop")
    func sleeper() throws { try pass("sleeper") }

    @Test("a frame of a variable size is found in a thread that is not stopped")
    func variableFrame() throws { try pass("variable-frame") }

    @Test("the function that a signal interrupted is in the stack of the handler")
    func signalFrame() throws { try pass("signal-frame") }

    @Test("a thread that leaves its functions right after a stop has the stack of the stop")
    func movedThread() throws { try pass("moved-thread") }

    @Test("a thread that goes on while its stack is copied without a stop is captured again")
    func movedSleeper() throws { try pass("moved-sleeper") }

    @Test("a thread that sleeps is stopped if its registers are needed")
    func unknownFrame() throws { try pass("unknown-frame") }

    @Test("the functions of a program whose file was removed are named")
    func removedProgram() throws { try pass("removed-program") }

    @Test("code that was loaded after the last capture is found")
    func newCode() throws { try pass("new-code") }

    @Test("the callers of generated code are found, of running and of sleeping threads")
    func generatedCode() throws { try pass("generated-code") }

    @Test("the caller of generated code is found at each of its instructions")
    func generatedInstructions() throws { try pass("generated-instructions") }

    @Test("a parent in vfork, which nothing can stop, is captured without a stop")
    func vfork() throws { try pass("vfork") }

    @Test("31 kinds of blocking calls go on after two stops, and do not return EINTR")
    func calls() throws { try pass("calls") }

    @Test("a thread that makes short calls sees no EINTR in 200 stops")
    func shortCalls() throws { try pass("short-calls") }

    @Test("a wait of the C library that starts again has its remaining timeout")
    func timeouts() throws { try pass("timeouts") }

    @Test("a call that has ended is not repeated after a stop")
    func endedCall() throws { try pass("ended-call") }

    @Test("signals that are queued during stops are all delivered, in order")
    func queuedSignals() throws { try pass("queued-signals") }

    @Test("a signal with a handler ends a wait that a stop interrupted")
    func handledSignal() throws { try pass("handled-signal") }

    @Test("a process that SIGSTOP stopped stays stopped after a capture")
    func stoppedProcess() throws { try pass("stopped-process") }

    @Test("a SIGSTOP that arrives during a capture stops the process")
    func lateStop() throws { try pass("late-stop") }

    @Test("a watcher that SIGKILL ends at any moment of a stop leaves no thread stopped")
    func killedWatcher() throws { try pass("killed-watcher") }

    @Test("the same holds for a thread that waits")
    func killedDuringWait() throws { try pass("killed-during-wait") }

    @Test("a thread that ends during a capture is not captured, and leaves no zombie")
    func threadEnd() throws { try pass("thread-end") }

    @Test("a process that ends during a capture passes its exit code to its parent")
    func processEnd() throws { try pass("process-end") }

    @Test("a process that SIGKILL ends at any moment of a stop ends at once")
    func processKilled() throws { try pass("process-killed") }

    @Test("the functions of a program are named after exec, also if exec is during a capture")
    func execByFirst() throws { try pass("exec-by-first") }

    @Test("a thread that calls exec during a capture gets the number of the first thread")
    func execByOther() throws { try pass("exec-by-other") }

    @Test("the first thread can be captured while another thread calls exec")
    func execBeside() throws { try pass("exec-beside") }
  }

  @Suite("CLoopWatch: refusals", .enabled(if: hasLibdw))
  struct RefusalTests {
    @Test("the message for a thread that is traced names the tracer")
    func traced() throws { try pass("traced") }

    @Test("the message for another user's process names the user")
    func otherUser() throws { try pass("other-user") }

    @Test("the message for a protected process says that only root may read it")
    func protectedProcess() throws { try pass("protected") }

    @Test("the message for a process that does not exist says so")
    func noProcess() throws { try pass("no-process") }

    @Test("the message for a process that was not reaped says that it has ended")
    func zombie() throws { try pass("zombie") }

    @Test("the message says how to install libdw if it is missing")
    func noLibdw() throws { try pass("no-libdw") }
  }

  @Suite(
    "CLoopWatch: breakpoints",
    .enabled("needs perf_event_open(), which containers and some systems forbid") {
      try TestProgram.run(TestProgram.built("watch-cases"), ["may-probe"]).code == 0
    }
  )
  struct ProbeTests {
    @Test("the first four waits at a breakpoint are found, with their times and descriptors")
    func waits() throws { try pass("probe-waits") }

    @Test("a thread that ends while it has a breakpoint ends as usual")
    func end() throws { try pass("probe-end") }
  }
#endif
